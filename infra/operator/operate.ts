import { localEnvironment, stackEnvironment } from '../environment.ts';
import { dataDirectoryPath } from '../local/host/data-directory.ts';
import { findRun } from '../local/host/run-file.ts';
import { help, parse } from './command-line.ts';
import { FailedResult, type Printable, type Row, UsageError } from './commands/command.ts';

/** How a command ends, and what it has to say. */
export interface Outcome {
  /** 1 where it failed, 2 where its usage is wrong. */
  readonly status: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command that the arguments name. */
export async function operate(args: readonly string[]): Promise<Outcome> {
  if (args.includes('--help') || args.length === 0)
    return { status: args.length === 0 ? 2 : 0, stdout: help(), stderr: '' };
  let isJson = false;
  try {
    const { command, flags, switches } = parse(args);
    isJson = switches.has('json');
    const stackName = enterEnvironment(flags.stack);
    return { status: 0, stdout: shown(await command.run(flags, stackName, switches), isJson), stderr: '' };
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return {
      status: error instanceof UsageError ? 2 : 1,
      stdout: error instanceof FailedResult ? shown(error.printable, isJson) : '',
      stderr: `operator: ${message}\n`,
    };
  }
}

/** Points the shared code at a deployed stack or at the local run. @returns the stack's name */
function enterEnvironment(stack: string | undefined): string {
  if (stack !== undefined) {
    Object.assign(process.env, stackEnvironment(stack));
    return stack;
  }
  const directory = dataDirectoryPath();
  const run = findRun(directory);
  if (!run) {
    throw new Error(
      `No local run is using ${directory}. Start one with "npm start", or name a stack with --stack.`,
    );
  }
  Object.assign(process.env, stackEnvironment(run.stackName), localEnvironment(run.endpoints, run.region));
  return run.stackName;
}

function shown(result: Printable, isJson: boolean): string {
  if (isJson) return `${JSON.stringify(result)}\n`;
  if (!Array.isArray(result)) return `${lineOf(result as Row)}\n`;
  return result.length > 0 ? result.map((row) => `${lineOf(row)}\n`).join('') : '(none)\n';
}

function lineOf(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join('  ');
}

function textOf(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

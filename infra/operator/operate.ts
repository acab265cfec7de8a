import { ApiError } from '../../shared/ground/api-error.ts';
import { messageOf } from '../../shared/ground/message-of.ts';
import { localEnvironment, stackEnvironment } from '../environment.ts';
import { dataDirectoryPath } from '../local/host/data-directory.ts';
import { findRun } from '../local/host/run-file.ts';
import { requireAccess } from './aws/access.ts';
import { type Invocation, parse } from './command-line.ts';
import {
  type Context,
  FailedResult,
  type Printable,
  Report,
  type Row,
  UsageError,
} from './commands/command.ts';
import { helpFor, overview } from './help.ts';
import { tableOf } from './text/table.ts';

/** How a command ends, and what it has to say. */
export interface Outcome {
  /** 1 where it failed, 2 where its usage is wrong. */
  readonly status: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is known of where the output goes. */
export interface Terminal {
  /** Width of the terminal of standard output; undefined where that is none, and nothing is shortened. */
  readonly columns?: number | undefined;
  /** Shows a line, instead of the one before, while long work goes on; absent where nobody watches. */
  readonly progress?: ((text: string) => void) | undefined;
}

/** Runs the command that the arguments name. */
export async function operate(args: readonly string[], terminal: Terminal = {}): Promise<Outcome> {
  if (args.length === 0) return { status: 2, stdout: overview(), stderr: '' };
  let isJson = false;
  let invocation: Invocation | undefined;
  try {
    const help = helpFor(args);
    if (help !== undefined) return { status: 0, stdout: help, stderr: '' };
    invocation = parse(args);
    isJson = invocation.switches.has('json');
    const { result, notes } = await run(invocation, isJson ? undefined : terminal.progress);
    return { status: 0, stdout: shown(result), stderr: notes.map(line).join('') };
  } catch (error) {
    const message = messageOf(error).split('\n')[0];
    const isUnknown = error instanceof ApiError && error.code === 'notFound';
    const hint = isUnknown && invocation ? ` help ${invocation.name} says where to find it.` : '';
    return {
      status: error instanceof UsageError ? 2 : 1,
      stdout: error instanceof FailedResult ? shown(error.printable) : '',
      stderr: line(`${message}${hint}`),
    };
  }

  function shown(result: Printable | Report): string {
    if (isJson) return `${JSON.stringify(result instanceof Report ? result.printable : result)}\n`;
    if (result instanceof Report) return result.text(terminal.columns);
    return isList(result)
      ? tableOf(result, invocation?.command.columns, terminal.columns)
      : fieldsOf(result, terminal.columns);
  }
}

async function run({ command, flags, lists, switches }: Invocation, progress: Terminal['progress']) {
  const { stack, localRun } = await enterEnvironment(flags.stack);
  const notes: string[] = [];
  try {
    const result = await command.run(flags, {
      stack,
      localRun,
      lists,
      switches,
      progress: (text) => progress?.(text),
      note: (text) => notes.push(text),
    });
    return { result, notes };
  } finally {
    progress?.('');
  }
}

/** Points the shared code at a deployed stack or at the local run. */
async function enterEnvironment(stack: string | undefined): Promise<Pick<Context, 'stack' | 'localRun'>> {
  if (stack !== undefined) {
    await requireAccess();
    Object.assign(process.env, stackEnvironment(stack));
    return { stack, localRun: undefined };
  }
  const directory = dataDirectoryPath();
  const localRun = findRun(directory);
  if (!localRun) {
    throw new Error(
      `No local run is using ${directory}. Start one with "npm start", set DATA_DIR to that of a run, or name a stack with --stack.`,
    );
  }
  const { stackName, endpoints, region } = localRun;
  Object.assign(process.env, stackEnvironment(stackName), localEnvironment(endpoints, region));
  return { stack: stackName, localRun };
}

function line(message: string): string {
  return `operator: ${message}\n`;
}

function isList(result: Printable): result is readonly Row[] {
  return Array.isArray(result);
}

/** In full, since it may be a secret that is shown this once: a field a line at a terminal, else in one line. */
function fieldsOf(row: Row, columns: number | undefined): string {
  const fields = Object.entries(row).map(([name, value]) => `${name}: ${textOf(value)}`);
  return `${fields.join(columns === undefined ? '  ' : '\n')}\n`;
}

function textOf(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

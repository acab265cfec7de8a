import { localEnvironment, stackEnvironment } from '../environment.ts';
import { dataDirectoryPath } from '../local/host/data-directory.ts';
import { findRun } from '../local/host/run-file.ts';
import { FailedResult, UsageError } from './commands/command.ts';
import { help, parseInvocation } from './invocation.ts';
import { print } from './print.ts';

main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status;
  },
  (error: unknown) => {
    const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
    console.error(`operator: ${message}`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.length === 0) {
    console.log(help());
    return args.length === 0 ? 2 : 0;
  }
  const { command, flags, switches } = parseInvocation(args);
  const json = switches.has('json');
  const stackName = enterEnvironment(flags.stack);
  try {
    print(await command.run(flags, stackName, switches), json);
    return 0;
  } catch (error) {
    if (error instanceof FailedResult) print(error.printable, json);
    throw error;
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

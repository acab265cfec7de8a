import { parseArgs } from 'node:util';
import { localEnvironment, stackEnvironment } from '../environment.ts';
import { dataDirectoryPath } from '../local/data-directory.ts';
import { findRun } from '../local/run-file.ts';
import { type Command, FailedResult, type Flags, type Printable, type Row, UsageError } from './command.ts';
import { accountCommands } from './commands/account.ts';
import { edgeCommands } from './commands/edge.ts';
import { keyCommands } from './commands/key.ts';
import { propertyCommands } from './commands/property.ts';
import { purgeCommands } from './commands/purge.ts';
import { signingKeyCommands } from './commands/signing-key.ts';
import { ticketCommands } from './commands/ticket.ts';
import { userCommands } from './commands/user.ts';

/** Every noun and its verbs. */
const commands: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  account: accountCommands,
  user: userCommands,
  key: keyCommands,
  edge: edgeCommands,
  property: propertyCommands,
  purge: purgeCommands,
  ticket: ticketCommands,
  'signing-key': signingKeyCommands,
};

interface Invocation {
  readonly command: Command;
  readonly flags: Flags;
  readonly json: boolean;
  readonly stack: string | undefined;
}

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
  const { command, flags, json, stack } = parse(args);
  const stackName = enterEnvironment(stack);
  try {
    print(await command.run(flags, stackName), json);
    return 0;
  } catch (error) {
    if (error instanceof FailedResult) print(error.printable, json);
    throw error;
  }
}

function help(): string {
  return [
    'npm run -s operator -- NOUN VERB [--flags] [--json] [--stack NAME]',
    ...Object.entries(commands).flatMap(([noun, verbs]) =>
      Object.entries(verbs).map(([verb, command]) => usageOf(noun, verb, command)),
    ),
    'Without --stack it works on the local run whose DATA_DIR this is (default .local).',
  ].join('\n');
}

function usageOf(noun: string, verb: string, { required = [], optional = [], summary }: Command): string {
  const flags = [...required.map((flag) => `--${flag} …`), ...optional.map((flag) => `[--${flag} …]`)];
  return `  ${[noun, verb, ...flags].join(' ')}\n      ${summary}`;
}

function parse(args: readonly string[]): Invocation {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstFlag < 0 ? args : args.slice(0, firstFlag);
  const command = findCommand(words);
  const { json = false, ...flags } = parseFlags(args.slice(words.length), command);
  const missing = (command.required ?? []).filter((name) => !flags[name]);
  if (missing.length > 0) throw new UsageError(missing.map((name) => `--${name} is missing`).join(', '));
  return { command, flags, json, stack: flags.stack };
}

function findCommand([noun = '', verb = '', ...rest]: readonly string[]): Command {
  const verbs = Object.hasOwn(commands, noun) ? commands[noun] : undefined;
  const command = verbs && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!command) throw new UsageError(`there is no command "${`${noun} ${verb}`.trim()}"; --help lists them`);
  if (rest.length > 0) throw new UsageError(`unexpected "${rest.join(' ')}"`);
  return command;
}

function parseFlags(args: readonly string[], command: Command): Flags & { json?: boolean } {
  const names = [...(command.required ?? []), ...(command.optional ?? []), 'stack'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values, tokens } = parseArgs({
      args: [...args],
      options: { ...options, json: { type: 'boolean' } },
      tokens: true,
    });
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const repeated = given.find((name, index) => given.indexOf(name) !== index);
    if (repeated) throw new UsageError(`--${repeated} is given more than once`);
    return values as Flags & { json?: boolean };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
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

function print(result: Printable, json: boolean): void {
  if (json) console.log(JSON.stringify(result));
  else if (Array.isArray(result)) console.log(result.length > 0 ? result.map(lineOf).join('\n') : '(none)');
  else console.log(lineOf(result as Row));
}

function lineOf(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${shown(value)}`)
    .join('  ');
}

function shown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import { parseArgs } from 'node:util';
import { messageOf } from '../../shared/ground/message-of.ts';
import { localEnvironment, stackEnvironment } from '../environment.ts';
import { dataDirectoryPath } from '../local/host/data-directory.ts';
import { findRun } from '../local/host/run-file.ts';
import { accountCommands } from './commands/account.ts';
import {
  type Command,
  FailedResult,
  type Flags,
  type Printable,
  type Row,
  UsageError,
} from './commands/command.ts';
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

interface Given {
  readonly flags: Flags;
  readonly switches: ReadonlySet<string>;
}

interface Invocation extends Given {
  readonly command: Command;
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
  const { command, flags, switches } = parse(args);
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

function help(): string {
  return [
    'npm run -s operator -- NOUN VERB [--flags] [--json] [--stack NAME]',
    ...Object.entries(commands).flatMap(([noun, verbs]) =>
      Object.entries(verbs).map(([verb, command]) => usageOf(noun, verb, command)),
    ),
    'Without --stack it works on the local run whose DATA_DIR this is (default .local).',
  ].join('\n');
}

function usageOf(noun: string, verb: string, command: Command): string {
  const { required = [], optional = [], switches = [], summary } = command;
  const flags = [
    ...required.map((flag) => `--${flag} …`),
    ...optional.map((flag) => `[--${flag} …]`),
    ...switches.map((name) => `[--${name}]`),
  ];
  return `  ${[noun, verb, ...flags].join(' ')}\n      ${summary}`;
}

function parse(args: readonly string[]): Invocation {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstFlag < 0 ? args : args.slice(0, firstFlag);
  const command = findCommand(words);
  const { flags, switches } = parseFlags(args.slice(words.length), command);
  const missing = (command.required ?? []).filter((name) => !flags[name]);
  if (missing.length > 0) throw new UsageError(missing.map((name) => `--${name} is missing`).join(', '));
  return { command, flags, switches };
}

function findCommand([noun = '', verb = '', ...rest]: readonly string[]): Command {
  const verbs = Object.hasOwn(commands, noun) ? commands[noun] : undefined;
  const command = verbs && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!command) throw new UsageError(`there is no command "${`${noun} ${verb}`.trim()}"; --help lists them`);
  if (rest.length > 0) throw new UsageError(`unexpected "${rest.join(' ')}"`);
  return command;
}

function parseFlags(args: readonly string[], command: Command): Given {
  const { required = [], optional = [], switches = [] } = command;
  const flagOptions = [...required, ...optional, 'stack'].map((name) => [name, { type: 'string' }] as const);
  const switchOptions = [...switches, 'json'].map((name) => [name, { type: 'boolean' }] as const);
  const options = Object.fromEntries([...flagOptions, ...switchOptions]);
  try {
    const { tokens } = parseArgs({ args: [...args], options, tokens: true });
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token] : []));
    const repeated = given.find(({ name }, index) => given.findIndex((each) => each.name === name) !== index);
    if (repeated) throw new UsageError(`--${repeated.name} is given more than once`);
    return {
      flags: Object.fromEntries(
        given.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
      ),
      switches: new Set(given.flatMap(({ name, value }) => (value === undefined ? [name] : []))),
    };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(messageOf(error));
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

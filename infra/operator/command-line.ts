import { parseArgs } from 'node:util';
import { messageOf } from '../../shared/ground/message-of.ts';
import { accountCommands } from './commands/account.ts';
import { type Command, type Flags, UsageError } from './commands/command.ts';
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

/** What a command is given. */
interface Given {
  readonly flags: Flags;
  readonly switches: ReadonlySet<string>;
}

export interface Invocation extends Given {
  readonly command: Command;
}

/** @throws UsageError */
export function parse(args: readonly string[]): Invocation {
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

export function help(): string {
  return [
    'npm run -s operator -- NOUN VERB [--flags] [--json] [--stack NAME]',
    ...Object.entries(commands).flatMap(([noun, verbs]) =>
      Object.entries(verbs).map(([verb, command]) => usageOf(noun, verb, command)),
    ),
    'Without --stack it works on the local run whose DATA_DIR this is (default .local).',
  ]
    .map((line) => `${line}\n`)
    .join('');
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

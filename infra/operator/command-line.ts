import { parseArgs } from 'node:util';
import { messageOf } from '../../shared/ground/message-of.ts';
import { type Command, type Flags, UsageError } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import { nearest } from './nearest.ts';

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
  const words = leadingWords(args);
  const { command, rest } = findCommand(words);
  if (rest.length > 0) throw new UsageError(`unexpected "${rest.join(' ')}"`);
  const { flags, switches } = parseFlags(args.slice(words.length), command);
  const missing = Object.keys(command.required ?? {}).filter((name) => !flags[name]);
  if (missing.length > 0) throw new UsageError(missing.map((name) => `--${name} is missing`).join(', '));
  return { command, flags, switches };
}

/** The arguments before the first flag. */
export function leadingWords(args: readonly string[]): readonly string[] {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  return firstFlag < 0 ? args : args.slice(0, firstFlag);
}

/** @throws UsageError naming the nearest command */
export function findCommand(words: readonly string[]) {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command) return { name, command, rest: words.slice(length) };
  }
  throw unknownCommand(words);
}

/** The names of a noun's commands. */
export function commandsOf(noun: string): readonly string[] {
  return Object.keys(commands).filter((name) => name.startsWith(`${noun} `));
}

function unknownCommand(words: readonly string[]): UsageError {
  const [noun = '', verb] = words;
  const verbs = commandsOf(noun);
  const there = `there is no command "${words.join(' ')}"`;
  if (verbs.length > 0 && verb === undefined) return new UsageError(`${there}, but ${verbs.join(', ')}`);
  const nouns = [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? ''))];
  const meant = verbs.length > 0 ? noun : nearest(noun, nouns);
  const among = commandsOf(meant ?? '');
  const [suggested] = among.length > 0 ? [nearest(`${meant} ${verb ?? ''}`, among)] : [meant];
  return new UsageError(`${there}: is it "${suggested}"? --help lists them all`);
}

function parseFlags(args: readonly string[], command: Command): Given {
  const { required = {}, optional = {}, switches = {} } = command;
  const flagOptions = [...Object.keys({ ...required, ...optional }), 'stack'].map(
    (name) => [name, { type: 'string' }] as const,
  );
  const switchOptions = [...Object.keys(switches), 'json'].map(
    (name) => [name, { type: 'boolean' }] as const,
  );
  const options = Object.fromEntries([...flagOptions, ...switchOptions]);
  requireKnown(args, options);
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

/** @throws UsageError naming the nearest flag */
function requireKnown(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
): void {
  const { tokens } = parseArgs({ args: [...args], options, tokens: true, strict: false });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    throw new UsageError(
      `there is no flag ${token.rawName} here: is it --${nearest(token.name, Object.keys(options))}?`,
    );
  }
}

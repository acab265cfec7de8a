import { parseArgs } from 'node:util';
import { messageOf } from '../../shared/ground/message-of.ts';
import { type Command, type Flags, type Lists, UsageError } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import { nearest } from './nearest.ts';

/** What a command is given. */
interface Given {
  readonly flags: Flags;
  readonly lists: Lists;
  readonly switches: ReadonlySet<string>;
}

export interface Invocation extends Given {
  readonly name: string;
  readonly command: Command;
}

/** @throws UsageError */
export function parse(args: readonly string[]): Invocation {
  const words = leadingWords(args);
  const { name, command, rest } = findCommand(words);
  const help = `help ${name} says what it takes`;
  if (rest.length > 0) throw new UsageError(`unexpected "${rest.join(' ')}"; ${help}`);
  const { flags, lists, switches } = parseFlags(args.slice(words.length), command, help);
  const missing = Object.keys(command.required ?? {}).filter((flag) => !flags[flag]);
  if (missing.length > 0) {
    throw new UsageError(`${missing.map((flag) => `--${flag} is missing`).join(', ')}; ${help}`);
  }
  return { name, command, flags, lists, switches };
}

/** The arguments before the first flag. */
export function leadingWords(args: readonly string[]): readonly string[] {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  return firstFlag < 0 ? args : args.slice(0, firstFlag);
}

/** @throws UsageError naming the nearest command, or those of the noun */
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
  const [noun = '', verb = ''] = words;
  const there = `there is no command "${words.join(' ')}"`;
  const nouns = [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] ?? ''))];
  const meant = nearest(noun, nouns);
  if (meant === undefined) return new UsageError(`${there}; help lists them all`);
  const verbs = commandsOf(meant).map((name) => name.slice(meant.length + 1));
  const meantVerb = nearest(verb, verbs);
  if (meantVerb === undefined && verbs.length > 0) {
    return new UsageError(`${there}, but ${commandsOf(meant).join(', ')}`);
  }
  const suggested = [meant, meantVerb].filter(Boolean).join(' ');
  return new UsageError(`${there}: is it "${suggested}"? help lists them all`);
}

/** @param help says where to read which flags there are */
function parseFlags(args: readonly string[], command: Command, help: string): Given {
  const { required = {}, optional = {}, repeatable = {}, switches = {} } = command;
  const flagOptions = [...Object.keys({ ...required, ...optional, ...repeatable }), 'stack'].map(
    (name) => [name, { type: 'string' }] as const,
  );
  const switchOptions = [...Object.keys(switches), 'json'].map(
    (name) => [name, { type: 'boolean' }] as const,
  );
  const options = Object.fromEntries([...flagOptions, ...switchOptions]);
  requireKnown(args, options, help);
  try {
    const { tokens } = parseArgs({ args: [...args], options, tokens: true });
    const given = tokens.flatMap((token) => (token.kind === 'option' ? [token] : []));
    const single = given.filter(({ name }) => !Object.hasOwn(repeatable, name));
    const values = (name: string): readonly string[] => [
      ...new Set(given.flatMap(({ name: of, value }) => (of === name && value ? [value] : []))),
    ];
    requireOnce(single.map(({ name }) => name));
    requireValues(given.filter(({ name }) => !Object.hasOwn(required, name)));
    return {
      flags: Object.fromEntries(
        single.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
      ),
      lists: Object.fromEntries(Object.keys(repeatable).map((name) => [name, values(name)])),
      switches: new Set(given.flatMap(({ name, value }) => (value === undefined ? [name] : []))),
    };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(messageOf(error));
  }
}

/** @throws UsageError */
function requireOnce(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once`);
}

/**
 * No flag that can be left out is empty, as an unset variable makes it: without it the command would do more.
 * @throws UsageError
 */
function requireValues(
  given: readonly { readonly name: string; readonly value?: string | undefined }[],
): void {
  const empty = given.find(({ value }) => value === '');
  if (empty) throw new UsageError(`--${empty.name} is empty`);
}

/** @throws UsageError naming the nearest flag, or the help */
function requireKnown(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
  help: string,
): void {
  const { tokens } = parseArgs({ args: [...args], options, tokens: true, strict: false });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const meant = nearest(token.name, Object.keys(options));
    throw new UsageError(
      `there is no flag ${token.rawName} here${meant === undefined ? '' : `: is it --${meant}?`}; ${help}`,
    );
  }
}

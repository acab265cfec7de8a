import { commandsOf, findCommand, leadingWords } from './command-line.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import { wrapped } from './text/fit.ts';

const program = 'npm run -s operator --';
/** Of the terminals that people have. */
const width = 80;

/**
 * What help is asked for: on everything, a noun or a command.
 * @returns undefined where the arguments do not ask for any
 * @throws UsageError
 */
export function helpFor(args: readonly string[]): string | undefined {
  const isAsked = args[0] === 'help' || args.some((arg) => arg === '--help' || arg === '-h');
  if (!isAsked) return undefined;
  const words = leadingWords(args).filter((word, index) => index > 0 || word !== 'help');
  const [noun = ''] = words;
  if (words.length === 0) return overview();
  if (words.length === 1 && commandsOf(noun).length > 0) return lines(listed(commandsOf(noun)));
  const { name, command } = findCommand(words);
  return helpOn(name, command);
}

/** Every command in one line. */
export function overview(): string {
  return lines([
    `${program} NOUN VERB [--flags] [--json] [--stack NAME]`,
    '',
    ...listed(Object.keys(commands)),
    '',
    'Without --stack it works on the local run of DATA_DIR (default .local).',
    'Flags and an example of a command: help NOUN VERB',
  ]);
}

function listed(names: readonly string[]): readonly string[] {
  return names.map((name) => `  ${name.padEnd(20)}  ${commands[name]?.summary}`);
}

function helpOn(name: string, command: Command): string {
  const { summary, details, required = {}, optional = {}, repeatable = {}, switches = {}, example } = command;
  const flags = [
    ...Object.entries(required).map(([flag, text]) => [withValue(flag), text] as const),
    ...Object.entries(optional).map(([flag, text]) => [`[${withValue(flag)}]`, text] as const),
    ...Object.entries(repeatable).map(([flag, text]) => [`[${withValue(flag)}]…`, text] as const),
    ...Object.entries(switches).map(([flag, text]) => [`[--${flag}]`, text] as const),
    ['[--stack NAME]', 'a deployed stack; without it the local run of DATA_DIR'] as const,
    ['[--json]', 'prints JSON'] as const,
  ];
  const needed = Object.keys(required).map(withValue);
  return lines([
    [program, name, ...needed, '[--flags]'].join(' '),
    '',
    ...wrapped(`${summary}.${details ? ` ${details}` : ''}`, width),
    '',
    ...flags.flatMap(([flag, text]) => described(flag, text)),
    '',
    `Example: ${[program, name, ...(example ? [example] : [])].join(' ')}`,
  ]);
}

function withValue(flag: string): string {
  return `--${flag} ${flag.split('-').at(-1)?.toUpperCase()}`;
}

const flagColumn = 24;

function described(flag: string, text: string): readonly string[] {
  return wrapped(text, width - flagColumn - 2).map(
    (line, index) => `  ${(index === 0 ? flag : '').padEnd(flagColumn)}${line}`,
  );
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

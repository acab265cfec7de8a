import type * as z from 'zod';
import { SingleLine } from '../../../shared/http/text.ts';
import type { FoundRun } from '../../local/host/run-file.ts';
import type { Columns } from '../text/table.ts';

/** Wrong usage: exit 2. Anything else that a command throws: exit 1. */
export class UsageError extends Error {}

/** The flags of a command as they were given, each once. */
export type Flags = Readonly<Record<string, string | undefined>>;

/** Values of flags that may come several times, by the flag. */
export type Lists = Readonly<Record<string, readonly string[] | undefined>>;

/** What a command's help says of each flag: which values it takes, or what it does. */
type FlagTexts = Readonly<Record<string, string>>;

/** What a command is run with, beside its flags. */
export interface Context {
  /** Name of the stack, deployed or served locally. */
  readonly stack: string;
  /** The run that serves it locally; undefined for a deployed one. */
  readonly localRun: FoundRun | undefined;
  /** Flags without a value that were given. */
  readonly switches: ReadonlySet<string>;
  /** What was given of flags that may come several times, each value once. */
  readonly lists: Lists;
  /** Says how far long work is, where somebody is watching. */
  progress(text: string): void;
  /** Says a line beside the result, which stays as it is. */
  note(text: string): void;
}

/** What the operator can do: which flags it takes, and what it prints. */
export interface Command {
  /** One line of at most 56 characters. */
  readonly summary: string;
  /** What else its help says. */
  readonly details?: string;
  readonly required?: FlagTexts;
  readonly optional?: FlagTexts;
  /** Flags that may come several times. */
  readonly repeatable?: FlagTexts;
  /** Flags without a value. */
  readonly switches?: FlagTexts;
  /** Flags that work, as one types them. */
  readonly example?: string;
  /** What people see of a list, of which --json has everything; all fields by default. */
  readonly columns?: Columns;
  /** @returns what is printed: an object, an array for a list, or a report */
  run(flags: Flags, context: Context): Promise<Printable | Report>;
}

/** What help says of --account. */
export const accountFlag = 'id of an account, as account list shows it';

export type Row = Readonly<Record<string, unknown>>;

export type Printable = Row | readonly Row[];

/** A result that people are shown in another form than that of a line for each field, or a table. */
export class Report {
  readonly printable: Printable;
  /** @param width of the terminal; undefined shortens nothing */
  readonly text: (width: number | undefined) => string;

  constructor(printable: Printable, text: Report['text']) {
    this.printable = printable;
    this.text = text;
  }
}

/** A result that is printed as usual and yet means that something is wrong: exit 1 with this line. */
export class FailedResult extends Error {
  readonly printable: Printable | Report;

  constructor(printable: Printable | Report, message: string) {
    super(message);
    this.printable = printable;
  }
}

/** @throws UsageError */
export function requireFlag(flags: Flags, name: string): string {
  const value = flags[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

/** @throws UsageError when the flag's text does not fit the schema */
export function parseFlag<Schema extends z.ZodType>(
  flag: string,
  text: string,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`--${flag} ${result.error.issues[0]?.message ?? 'is not valid'}`);
}

/** @throws UsageError when the flag's text is not one line of 1 to 200 characters */
export function parseLine(flag: string, text: string): string {
  return parseFlag(flag, text, SingleLine);
}

import type * as z from 'zod';
import { SingleLine } from '../../../shared/http/text.ts';

/** Wrong usage: exit 2. Anything else that a command throws: exit 1. */
export class UsageError extends Error {}

/** The flags of a command as they were given, each once. */
export type Flags = Readonly<Record<string, string | undefined>>;

/** One `NOUN VERB`: which flags it takes, and what it prints. */
export interface Command {
  readonly summary: string;
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  /** Flags without a value. */
  readonly switches?: readonly string[];
  /**
   * @param stack name of the stack, deployed or served locally
   * @param switches those that were given
   * @returns what is printed: an object, or an array for a list
   */
  run(flags: Flags, stack: string, switches: ReadonlySet<string>): Promise<Printable>;
}

export type Row = Readonly<Record<string, unknown>>;

export type Printable = Row | readonly Row[];

/** A result that is printed as usual and yet means that something is wrong: exit 1 with this line. */
export class FailedResult extends Error {
  readonly printable: Printable;

  constructor(printable: Printable, message: string) {
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

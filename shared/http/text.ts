import * as z from 'zod';

const noControls = /^\P{Cc}*$/u;

const longestLine = 200;

/** A one-line text as most fields take it: 1 to 200 characters, no control characters. */
export const SingleLine = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(longestLine, `must be at most ${longestLine} characters long`)
  .regex(noControls, 'must not hold control characters');

const longestText = 10_000;
const noControlsButNewlineAndTab = /^[\P{Cc}\n\t]*$/u;

/** A text of several lines: 1 to 10,000 Unicode characters, of control characters only newline and tab. */
export const Text = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .regex(noControlsButNewlineAndTab, 'must not hold control characters other than newline and tab')
  .refine((text) => Array.from(text).length <= longestText, `must be at most ${longestText} characters long`)
  .meta({ maxLength: longestText });

/**
 * A line in the form in which it is stored, which may be longer than it was typed.
 * @param form ends the message: the line is too long in this form
 */
export function storedLine(form: string) {
  return z.string().max(longestLine, `must be at most ${longestLine} characters long ${form}`);
}

/** The message of a value that is none of the options. */
export function oneOf(options: readonly (string | number)[]): string {
  return `must be one of ${options.join(', ')}`;
}

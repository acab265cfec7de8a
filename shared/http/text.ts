import * as z from 'zod';

const noControls = /^\P{Cc}*$/u;

/** A one-line text as most fields take it: 1 to 200 characters, no control characters. */
export const Line = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters long')
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

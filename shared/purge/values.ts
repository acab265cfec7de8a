import * as z from 'zod';

const maximumValues = 1_000;
const maximumCharacters = 2_048;
const separator = /\||\t|\r?\n/;

/** Existing CMS purge modules can only send one joined string. */
const split = (text: string): string[] =>
  text
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '');

const Value = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(maximumCharacters, `must be at most ${maximumCharacters} characters long`)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters');

/** Values of a purge: an array, or one string of them separated by `|`, tab or newline. */
export const Values = z.preprocess(
  (input) => (typeof input === 'string' ? split(input) : input),
  z
    .array(Value, 'must be an array of strings, or one string of values separated by |, tab or newline')
    .min(1, 'must hold at least one value')
    .max(maximumValues, `must hold at most ${maximumValues} values; split them over several requests`),
);

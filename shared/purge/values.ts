import * as z from 'zod';

const maximumValues = 1_000;
const lineSeparator = /\||\t|\r?\n/;
const wordSeparator = /[|,\s]+/;

/** URLs or prefixes: an array, or one string of them. */
export const UrlValues = valuesOf(lineSeparator, '|, tab or newline', 2_048);

/** Tags or host names, which hold neither comma nor space. */
export const WordValues = valuesOf(wordSeparator, '|, comma, space, tab or newline', 255);

function valuesOf(separator: RegExp, separatorNames: string, maximumCharacters: number) {
  const Value = z
    .string('must be a string')
    .min(1, 'must not be empty')
    .max(maximumCharacters, `must be at most ${maximumCharacters} characters long`)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters');
  return z
    .preprocess(
      (input) => (typeof input === 'string' ? split(input, separator) : input),
      z
        .array(Value, `must be an array of strings, or one string of values separated by ${separatorNames}`)
        .min(1, 'must hold at least one value')
        .max(maximumValues, `must hold at most ${maximumValues} values; split them over several requests`),
    )
    .meta({ joinedBy: separatorNames });
}

/** Existing CMS purge modules can only send one joined string. */
function split(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIfMatch } from '../../../shared/http/if-match.ts';

function read(...values: string[]) {
  return readIfMatch({ 'If-Match': values });
}

test.each([
  ['3', 3],
  ['"3"', 3],
  [' 3 ', 3],
  ['0', 0],
  ['120', 120],
])('%j is version %i', (value, version) => {
  expect(read(value)).toBe(version);
});

test('without the header there is none', () => {
  expect([readIfMatch(null), readIfMatch({})]).toEqual([undefined, undefined]);
});

test.each([
  ...['', '"', '""', '3"', '"3', '"3""', "'3'", '" 3 "', 'W/"3"', 'W/3', '*', '"*"', 'x', '3x', '1e1', '0x3'],
  ...['03', '"03"', '+3', '-3', '3.0', '3.', '.3', '3,4', '"3", "4"', '"3" "4"', '3 4', '\u0663', '\uff13'],
])('%j is malformed', (value) => {
  expect(() => read(value)).toThrow('If-Match must be the version that you last read');
});

test('given twice it is malformed, in whatever spellings', () => {
  expect(() => read('3', '3')).toThrow('once');
  expect(() => readIfMatch({ 'If-Match': ['3'], 'if-match': ['3'] })).toThrow('once');
});

test('a number too large for any record is a version like any other, and never the present one', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 10n ** 15n, max: 10n ** 400n }), (number) => {
      expect(read(`"${number}"`)).toBeGreaterThanOrEqual(10 ** 15);
    }),
  );
});

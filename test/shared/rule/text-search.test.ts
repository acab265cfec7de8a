import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textSearch } from '../../../shared/rule/text-search.ts';
import { cpuMillisecondsOf } from '../../support/cpu-time.ts';

/** The definition itself, trying every way; only good for short texts. */
function matchesByDefinition(text: readonly string[], pattern: readonly string[]): boolean {
  const [symbol, ...rest] = pattern;
  if (symbol === undefined) return text.length === 0;
  if (symbol === '*')
    return Array.from({ length: text.length + 1 }).some((_, taken) =>
      matchesByDefinition(text.slice(taken), rest),
    );
  const [character, ...others] = text;
  return (
    character !== undefined && (symbol === '?' || symbol === character) && matchesByDefinition(others, rest)
  );
}

test.each([
  ['/a/b.jpg', '/a/*.jpg', true],
  ['/a/b.jpg', '/a/*.png', false],
  ['/a/b.jpg', '/a', false],
  ['/a/b.jpg', 'b.jpg', false],
  ['/a/b.jpg', '*', true],
  ['', '*', true],
  ['', '', true],
  ['', '?', false],
  ['a', '', false],
  ['abc', 'a?c', true],
  ['abc', 'a??c', false],
  ['abc', '***c', true],
  ['abab', '*ab', true],
  ['abcab', 'ab*ab', true],
  ['ab', 'ab*ab', false],
  ['a.c', 'a.c', true],
  ['abc', 'a.c', false],
  ['a\nb', 'a?b', true],
  ['😀', '?', true],
  ['x'.repeat(31), `${'?'.repeat(31)}`, true],
  ['x'.repeat(32), `${'?'.repeat(32)}`, true],
  ['x'.repeat(33), `${'?'.repeat(32)}`, false],
])('%j against %j: %j', (text, pattern, expected) => {
  expect(textSearch(text).wildcard(pattern)).toBe(expected);
});

function text(maxLength: number) {
  return fc.array(fc.constantFrom('a', 'b', '.'), { maxLength, size: 'max' });
}

function pattern(maxLength: number) {
  return fc.array(fc.constantFrom('a', 'b', '.', '*', '?'), { maxLength, size: 'max' });
}

test('agrees with the definition', () => {
  fc.assert(
    fc.property(text(9), pattern(7), (characters, symbols) => {
      expect(textSearch(characters.join('')).wildcard(symbols.join(''))).toBe(
        matchesByDefinition(characters, symbols),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('a text with a part replaced by a star, and characters by holes, matches over every border of a word', () => {
  const holes = fc.array(fc.nat(150), { maxLength: 8 });
  fc.assert(
    fc.property(text(150), fc.nat(150), fc.nat(150), holes, (characters, start, length, places) => {
      const symbols: string[] = [...characters];
      for (const place of places) if (place < symbols.length) symbols[place] = '?';
      const { wildcard: matches } = textSearch(characters.join(''));
      expect(matches(symbols.join(''))).toBe(true);
      expect(matches(`${symbols.join('')}?`)).toBe(false);
      symbols.splice(start, length, '*');
      expect(matches(symbols.join(''))).toBe(true);
      expect(matches(`${symbols.join('')}x`)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('one text serves many patterns, one after another', () => {
  const { wildcard: matches } = textSearch('abc');
  expect(['a*', 'x*', 'a*', '*c', '?', 'abc'].map(matches)).toEqual([true, false, true, true, false, true]);
});

test('contains what is a part of it, and nothing else', () => {
  fc.assert(
    fc.property(text(80), text(4), (characters, part) => {
      const whole = characters.join('');
      expect(textSearch(whole).contains(part.join(''))).toBe(whole.includes(part.join('')));
    }),
    { numRuns: 5_000 },
  );
  expect(textSearch('x😀y').contains('😀y')).toBe(true);
});

test.each([
  ['many stars', `${'*a'.repeat(99)}b`],
  ['a long run', `*${'a'.repeat(198)}b`],
  ['holes everywhere', `*${'a?'.repeat(99)}b`],
])('the worst that can be looked for costs no more than other things: %s', async (_, worst) => {
  const { wildcard, contains } = textSearch('a'.repeat(2_048));
  const milliseconds = await cpuMillisecondsOf(() => {
    for (let count = 0; count < 1_000; count += 1)
      expect([wildcard(worst), contains(worst)]).toEqual([false, false]);
  });
  expect(milliseconds).toBeLessThan(500);
});

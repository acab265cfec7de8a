import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalUsername, Username } from '../../../shared/auth/user.ts';

/** What grows, shrinks, reorders or composes anew when it is normalised or lower-cased. */
const tricky = fc.constantFrom(
  ...['\ufdfa', '\u0130', '\ufb03', '\u1e9e', '\u212a', '\u0386', '\u03d4', '\u0345', '\u0301', '\u0307'],
  ...['\u03a3', '\u3300', '\u{1d160}', '\uac00', '\uff21', '\u00a8', '\u200d', '\u0000', ' ', 'A', '😀'],
);
const anyCharacter = fc.oneof(tricky, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));

test('any text is either refused, or one line of at most 200 characters that stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 220, size: 'max' }), (text) => {
      const { data } = Username.safeParse(text);
      if (data === undefined) return;
      expect(data).toMatch(/^\P{Cc}{1,200}$/u);
      expect(canonicalUsername(data)).toBe(data);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['ANNA@example.com', 'anna@example.com'],
  ['ｂｏｂ', 'bob'],
  ['\u0386\u0345', '\u1fb4'],
  ['x'.repeat(200), 'x'.repeat(200)],
])('%j is the name %j', (text, name) => {
  expect(Username.parse(text)).toBe(name);
});

test.each(['', 'x'.repeat(201), '\ufdfa'.repeat(12), '\u0130'.repeat(101)])('%j is no name', (text) => {
  expect(Username.safeParse(text).success).toBe(false);
});

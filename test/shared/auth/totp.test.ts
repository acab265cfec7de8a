import fc from 'fast-check';
import { generate } from 'otplib';
import { expect, test } from 'vitest';
import { newTotpSecret, TotpCode, totpStep } from '../../../shared/auth/totp.ts';

/** RFC 6238, Appendix B: each algorithm's seed is the digits 1 to 0 repeated to its own length. */
const seeds = { sha1: 20, sha256: 32, sha512: 64 } as const;

const vectors = [
  [59, '94287082', '46119246', '90693936'],
  [1111111109, '07081804', '68084774', '25091201'],
  [1111111111, '14050471', '67062674', '99943326'],
  [1234567890, '89005924', '91819424', '93441116'],
  [2000000000, '69279037', '90698825', '38618901'],
  [20000000000, '65353130', '77737706', '47863826'],
] as const;

const cases = vectors.flatMap(([epoch, sha1, sha256, sha512]) => [
  ['sha1', epoch, sha1] as const,
  ['sha256', epoch, sha256] as const,
  ['sha512', epoch, sha512] as const,
]);

test.each(cases)('%s at %i s gives %s', async (algorithm, epoch, code) => {
  const secret = new TextEncoder().encode('1234567890'.repeat(7).slice(0, seeds[algorithm]));
  expect(await generate({ secret, epoch, algorithm, digits: 8 })).toBe(code);
});

test('a code is taken one step either side of its own and no further, and names its step', async () => {
  const secret = newTotpSecret();
  const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1000);
  const code = TotpCode.parse(await generate({ secret, epoch: 1_800_000_000 }));
  const step = 1_800_000_000 / 30;
  const seen = await Promise.all(
    [-31, -30, 0, 29, 30, 59, 60].map((seconds) => totpStep(secret, code, at(seconds))),
  );
  expect(seen).toEqual([undefined, step, step, step, step, step, undefined]);
});

test('a code is six digits of ASCII, with any spaces between; any other text is none', () => {
  const character = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...'0123456789') },
    fc.constantFrom(' ', '\u00a0', '\u202f', '１', '\u0661', '𝟏', '²', '-', '.', 'e', '\n', '\0'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 9, size: 'max' }), (typed) => {
      const digits = typed.replaceAll(/\s/g, '');
      const isCode = /^[0-9]{6}$/.test(digits) && !/\p{Cc}/u.test(typed);
      expect(TotpCode.safeParse(typed).data).toBe(isCode ? digits : undefined);
    }),
    { numRuns: 1_000 },
  );
});

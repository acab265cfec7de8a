import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requireExactNumbers, requireShallow } from '../../../shared/http/json-text.ts';

test('every double that JSON can say is taken', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(() => requireExactNumbers(JSON.stringify({ number }))).not.toThrow();
    }),
    { numRuns: 1_000 },
  );
});

test.each(['0', '-0', '1.0', '10e-1', '0.1', '1E3', '100', '-1.50', '9007199254740991', '1e300'])(
  '%s survives',
  (number) => {
    expect(() => requireExactNumbers(`[${number}]`)).not.toThrow();
  },
);

test.each([
  '9007199254740993',
  '1e400',
  '-1e999',
  '1e-400',
  '0.10000000000000000001',
  '123456789012345678901',
])('%s does not survive', (number) => {
  expect(() => requireExactNumbers(`[${number}]`)).toThrow('number');
});

test('digits inside strings are no numbers', () => {
  expect(() => requireExactNumbers('{"a\\"1e999":"1e999"}')).not.toThrow();
});

test('a body of 100 levels is taken, and one of 101 is not', () => {
  const nested = (levels: number): string => `${'[{"[{":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`;
  expect(() => requireShallow(`[${nested(100)},${nested(98)}]`.slice(1, -1))).not.toThrow();
  expect(() => requireShallow(`[${nested(100)}]`)).toThrow('nested too deep');
});

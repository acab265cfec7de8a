import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idempotencyUse } from '../../../shared/http/idempotency-use.ts';

const endpoint = { path: '/api/property/{propertyId}/purge', unkeyedQuery: ['wait'] } as const;

function useOf(query: Record<string, string[]> | null = null, body: unknown = null) {
  return idempotencyUse(
    endpoint,
    { pathParameters: { propertyId: 'p' }, multiValueQueryStringParameters: query, body: body as string },
    'account',
    'key',
  );
}

function bodyHash(text: string): string {
  return useOf(null, JSON.parse(text)).bodyHash;
}

/** The same value written in another way: fields in the opposite order, numbers with an exponent. */
function respelt(value: unknown): string {
  if (typeof value === 'number') return value.toExponential();
  if (Array.isArray(value)) return `[ ${value.map(respelt).join(' , ')} ]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${respelt(field)}`);
  return `{${fields.reverse().join(', ')}}`;
}

test('a value has one hash, however it is written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(bodyHash(respelt(value))).toBe(bodyHash(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

test('values that are not equal have different hashes, and the order of an array counts', () => {
  const few = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(fc.array(few, { minLength: 2, maxLength: 3 }), (values) => {
      const [text, reversed] = [JSON.stringify(values), JSON.stringify(values.toReversed())];
      const areEqual = isDeepStrictEqual(JSON.parse(text), JSON.parse(reversed));
      expect(bodyHash(text) === bodyHash(reversed)).toBe(areEqual);
    }),
    { numRuns: 500 },
  );
});

test('the query tells uses apart, but neither its order nor a parameter that only says how to respond', () => {
  const one = useOf({ b: ['2'], a: ['1'] }).key;
  expect(useOf({ a: ['1'], b: ['2'] }).key).toBe(one);
  expect(useOf({ a: ['1'], wait: ['10'], b: ['2'] }).key).toBe(one);
  expect(useOf({ wait: ['5'] }).key).toBe(useOf().key);
  const others = [useOf(), useOf({ a: ['1'] }), useOf({ a: ['2'], b: ['1'] }), useOf({ a: ['1', '2'] })];
  expect(new Set([one, ...others.map(({ key }) => key)]).size).toBe(5);
});

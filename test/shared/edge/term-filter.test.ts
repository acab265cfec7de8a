import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyFilter, mayHold, withTerms } from '../../../shared/edge/term-filter.ts';
import { newId } from '../../../shared/ground/id.ts';

const terms = fc.array(fc.string());

test('the filter never denies a term that was added, in whatever order', () => {
  fc.assert(
    fc.property(terms, terms, (some, others) => {
      const filter = withTerms(withTerms(emptyFilter(), some), others);
      expect([...some, ...others].every((term) => mayHold(filter, term))).toBe(true);
    }),
  );
});

test('of 1,000 scopes at most 1 of 20 others is taken for one of them, and of none no other', () => {
  const scopes = (count: number) => Array.from({ length: count }, () => `property#${newId()}`);
  const filter = withTerms(emptyFilter(), scopes(1_000));
  const others = scopes(2_000);
  expect(others.filter((term) => mayHold(filter, term)).length).toBeLessThan(100);
  expect(others.some((term) => mayHold(emptyFilter(), term))).toBe(false);
});

test('adding terms leaves the filter as it was for who has read it', () => {
  const filter = emptyFilter();
  withTerms(filter, ['everybody']);
  expect(mayHold(filter, 'everybody')).toBe(false);
});

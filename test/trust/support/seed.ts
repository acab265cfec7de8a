import fc, { type Parameters } from 'fast-check';

/** Of all that is drawn: a run with the same one tries the same inputs. */
export const seed = Number(process.env.TRUST_SEED);

/** For a property-based test of so many inputs. */
export function drawn<Drawn>(numRuns: number): Parameters<Drawn> {
  return { seed, numRuns };
}

/** So many of a list, in its order; all of it where it is no longer. */
export function picked<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  const subset = fc.shuffledSubarray(
    items.map((_, index) => index),
    { minLength: count, maxLength: count },
  );
  const [indices = []] = fc.sample(subset, drawn(1));
  const chosen = new Set(indices);
  return items.filter((_, index) => chosen.has(index));
}

import fc from 'fast-check';
import { seed } from './seed.ts';

/** Different ones, the same for the same seed. */
export function drawnFrom<Each>(list: readonly Each[], count: number): readonly Each[] {
  return (
    fc.sample(fc.shuffledSubarray([...list], { minLength: count, maxLength: count }), {
      seed,
      numRuns: 1,
    })[0] ?? []
  );
}

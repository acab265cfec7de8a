import type { Parameters } from 'fast-check';

/** Of all that is drawn: a run with the same one tries the same inputs. */
export const seed = Number(process.env.TRUST_SEED);

/** For a property-based test of so many inputs. */
export function drawn<Drawn>(numRuns: number): Parameters<Drawn> {
  return { seed, numRuns };
}

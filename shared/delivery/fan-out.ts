import type { EdgePurge } from '../edge/driver.ts';
import type { Edge, EdgeTier } from '../edge/edge.ts';
import { attemptPurge, type DriverOf, type Responses } from './attempt.ts';

/**
 * Asks all edges of a tier at once, the shields first: an edge that is purged before its shield would fetch
 * the old content from there again.
 * @param limitMilliseconds for each request; the driver's own by default
 */
export async function fanOut(
  edges: readonly Edge[],
  purge: EdgePurge,
  driverOf: DriverOf,
  limitMilliseconds?: number,
): Promise<Responses> {
  const askTier = async (tier: EdgeTier): Promise<Responses> => {
    const asked = edges
      .filter((edge) => edge.tier === tier)
      .map(async (edge) => [edge.id, await attemptPurge(edge, purge, driverOf, limitMilliseconds)] as const);
    return Object.fromEntries(await Promise.all(asked));
  };
  return { ...(await askTier('shield')), ...(await askTier('edge')) };
}

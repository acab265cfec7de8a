import type { ImmediateDriverName } from '../edge/backends.ts';
import type { EdgePurge, ImmediateDriver, SendNow } from '../edge/driver.ts';
import type { ImmediateEdge } from '../edge/edge.ts';
import { immediateDrivers } from '../edge/immediate-drivers.ts';
import type { EdgeTier } from '../edge/tier.ts';
import { widened } from '../edge/widen.ts';
import { attemptPurge, type Responses } from './attempt.ts';

export type DriverOf = (name: ImmediateDriverName) => ImmediateDriver;

/**
 * Asks all edges of a tier at once, the shields first: an edge that is purged before its shield would fetch
 * the old content from there again.
 * @param limitMilliseconds for each request; the driver's own by default
 */
export async function fanOut(
  edges: readonly ImmediateEdge[],
  purge: EdgePurge,
  limitMilliseconds?: number,
  driverOf: DriverOf = (name) => immediateDrivers[name],
): Promise<Responses> {
  const sendTo = prepared(purge, driverOf);
  const askTier = async (tier: EdgeTier): Promise<Responses> => {
    const asked = edges
      .filter((edge) => edge.tier === tier)
      .map(async (edge) => [edge.id, await attemptPurge(() => sendTo(edge, limitMilliseconds))] as const);
    return Object.fromEntries(await Promise.all(asked));
  };
  return { ...(await askTier('shield')), ...(await askTier('edge')) };
}

/** Sends the purge to any edge, and prepares it once for each backend, once more where it is widened. */
function prepared(purge: EdgePurge, driverOf: DriverOf): SendNow {
  const sends = new Map<string, SendNow>();
  return async (edge, limitMilliseconds) => {
    const asked = widened(edge, purge);
    const name = `${edge.driver} ${asked === purge}`;
    const send = sends.get(name) ?? driverOf(edge.driver).prepare(asked);
    sends.set(name, send);
    const purged = await send(edge, limitMilliseconds);
    return asked === purge ? purged : { ...purged, coveredBy: 'all' };
  };
}

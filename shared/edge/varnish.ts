import { purgeKeys } from './cache-keys.ts';
import type { EdgeDriver, EdgePurge, EdgePurged } from './driver.ts';
import { sendCheck, sendPurge } from './edge-request.ts';

/** A thousand values on many host names are tens of thousands of keys; beyond this the whole property goes instead. */
const maximumKeys = 10_000;

const widened = new WeakMap<EdgePurge, EdgePurge>();

/** Worked out once for all edges that a purge goes to. */
const widenedWhereTooMany = (purge: EdgePurge): EdgePurge => {
  const known = widened.get(purge);
  if (known) return known;
  const isTooMany = purge.type !== 'all' && purgeKeys(purge).length > maximumKeys;
  const made: EdgePurge = isTooMany ? { ...purge, type: 'all', values: [] } : purge;
  widened.set(purge, made);
  return made;
};

/** For what speaks all of the signed purge protocol: the Varnish kit and the embedded edge. */
export const varnish: EdgeDriver = {
  guardsFetches: true,
  async purge(edge, purge, limitMilliseconds): Promise<EdgePurged> {
    const asked = widenedWhereTooMany(purge);
    const purged = await sendPurge(edge, asked, limitMilliseconds);
    return asked === purge ? purged : { ...purged, coveredBy: 'all' };
  },
  check: sendCheck,
};

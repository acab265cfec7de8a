import { inParallel } from '../ground/parallel.ts';
import { hostKey, purgeKeys } from './cache-keys.ts';
import { type EdgeDriver, EdgeFailure, type EdgePurge, type EdgePurged } from './driver.ts';
import type { Edge } from './edge.ts';
import { concurrency } from './http-client.ts';
import { askEdge } from './protocol-client.ts';
import { batchKeys } from './purge-protocol.ts';

/** A thousand values on many host names are tens of thousands of keys; beyond this the whole property goes instead. */
const maximumKeys = 10_000;
const requestMilliseconds = 1_000;
/** For all requests of one purge. */
const purgeMilliseconds = 10_000;

/** For what speaks the signed purge protocol: the Varnish kit and the embedded edge. */
export const varnish: EdgeDriver = {
  async purge(edge, purge, limitMilliseconds = requestMilliseconds): Promise<EdgePurged> {
    const { batches, ...covered } = workOf(purge);
    return { removed: await purgeKeyBatches(edge, purge, batches, limitMilliseconds), ...covered };
  },
  async check(edge, limitMilliseconds = requestMilliseconds): Promise<void> {
    await askEdge(edge, { mode: 'check', keys: '', limitMilliseconds });
  },
};

/** What a purge asks of each edge. */
interface Work extends Pick<EdgePurged, 'coveredBy'> {
  /** Keys, as many as go into one request. */
  readonly batches: readonly string[];
}

const known = new WeakMap<EdgePurge, Work>();

/** Worked out once for all edges that a purge goes to. */
function workOf(purge: EdgePurge): Work {
  const made = known.get(purge) ?? makeWork(purge);
  known.set(purge, made);
  return made;
}

function makeWork(purge: EdgePurge): Work {
  const keys = purgeKeys(purge);
  if (purge.type === 'all' || keys.length <= maximumKeys) return { batches: batchKeys(keys) };
  return { batches: batchKeys(purge.hostnames.map(hostKey)), coveredBy: 'all' };
}

/** @returns how many objects were removed */
async function purgeKeyBatches(
  edge: Edge,
  { soft }: EdgePurge,
  batches: readonly string[],
  limitMilliseconds: number,
): Promise<number> {
  const mode = soft ? 'soft' : 'hard';
  const deadline = performance.now() + purgeMilliseconds;
  const send = (keys: string): Promise<number> => {
    if (performance.now() > deadline)
      throw new EdgeFailure('unreachable', `the edge takes more than ${purgeMilliseconds} ms for the purge`);
    return askEdge(edge, { mode, keys, limitMilliseconds });
  };
  const [only, ...others] = batches;
  // Nearly every purge is one request, and is made for every edge.
  if (only !== undefined && others.length === 0) return send(only);
  const removed = await inParallel(batches, concurrency, send);
  return removed.reduce((sum, count) => sum + count, 0);
}

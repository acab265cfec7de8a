import { onDemand } from '../ground/on-demand.ts';
import { inParallel } from '../ground/parallel.ts';
import { hostKey, purgeKeys, reducedUrlKeys, wholeUrlKeys } from './cache-keys.ts';
import { EdgeFailure, type EdgePurge, type EdgePurged, type ImmediateDriver } from './driver.ts';
import type { Edge } from './edge.ts';
import { concurrency } from './http-client.ts';
import { askEdge } from './protocol-client.ts';
import { batchKeys, type PurgeMode } from './purge-protocol.ts';

/** A thousand values on many host names are tens of thousands of keys; beyond this the whole property goes instead. */
const maximumKeys = 10_000;
const requestMilliseconds = 1_000;
/** For all requests of one purge. */
const purgeMilliseconds = 10_000;

/** For what speaks the signed purge protocol: the edge node and the embedded edge. */
export const varnish: ImmediateDriver = {
  prepare(purge) {
    const whole = batchesOf(purge);
    const reduced = onDemand(() => batchesOf(purge, reducedUrlKeys));
    const mode = purge.soft ? 'soft' : 'hard';
    return async (edge, limitMilliseconds = requestMilliseconds) => {
      const { batches, ...covered } = acceptsReduced(edge) ? reduced() : whole;
      const [only, ...others] = batches;
      // Nearly every purge is one request, and is made for every edge.
      const isOne = only !== undefined && others.length === 0;
      const removed = await (isOne
        ? askEdge(edge, { mode, keys: only, limitMilliseconds })
        : sendAll(edge, mode, batches, limitMilliseconds));
      return { removed, ...covered };
    };
  },
  async check(edge, limitMilliseconds = requestMilliseconds) {
    await askEdge(edge, { mode: 'check', keys: '', limitMilliseconds });
    return 'the edge accepts our signature';
  },
};

interface Batches extends Pick<EdgePurged, 'coveredBy'> {
  /** Keys, as many as go into one request. */
  readonly batches: readonly string[];
}

/** It is told only of kinds of key that it has named: it refuses others. */
function acceptsReduced({ acceptedKeys = '' }: Edge): boolean {
  return acceptedKeys.split(',').includes('r');
}

function batchesOf(purge: EdgePurge, urlKeys = wholeUrlKeys): Batches {
  const keys = purgeKeys(purge, urlKeys);
  if (purge.type === 'all' || keys.length <= maximumKeys) return { batches: batchKeys(keys) };
  return { batches: batchKeys(purge.hostnames.map(hostKey)), coveredBy: 'all' };
}

/** @returns how many objects were removed */
async function sendAll(
  edge: Edge,
  mode: PurgeMode,
  batches: readonly string[],
  limitMilliseconds: number,
): Promise<number> {
  const deadline = performance.now() + purgeMilliseconds;
  const removed = await inParallel(batches, concurrency, (keys) => {
    if (performance.now() > deadline)
      throw new EdgeFailure('unreachable', `the edge takes more than ${purgeMilliseconds} ms for the purge`);
    return askEdge(edge, { mode, keys, limitMilliseconds });
  });
  return removed.reduce((sum, count) => sum + count, 0);
}

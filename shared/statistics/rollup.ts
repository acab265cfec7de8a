import type { PropertyOwner } from '../property/property-owner.ts';
import { bucketStart, type Granularity, granularities } from './granularity.ts';
import { addAllMetrics, type LogMetrics, type MetricsByDimension, requestsIn } from './metrics.ts';

/** What one edge served of a property or an account in one bucket. */
export interface Rollup {
  readonly edgeId: string;
  /** Beginning of the bucket, in Unix milliseconds. */
  readonly start: number;
  readonly metrics: MetricsByDimension;
}

/** What is added to a stored rollup. */
export interface RollupIncrement extends Rollup {
  /** Id of the property, or of the account. */
  readonly owner: string;
  readonly accountId: string;
  readonly granularity: Granularity;
}

/** How many lines of a chunk are counted, and how many are of hosts that nobody has. */
export interface CountedLines {
  readonly accepted: number;
  readonly unknownHost: number;
}

/** What a chunk of an edge's batch adds to the rollups of all granularities. */
export function rollUp(
  edgeId: string,
  chunk: LogMetrics,
  owners: ReadonlyMap<string, PropertyOwner>,
): { readonly increments: readonly RollupIncrement[]; readonly counted: CountedLines } {
  const increments: Increments = new Map();
  let accepted = 0;
  let unknownHost = 0;
  for (const [hostname, minutes] of chunk) {
    const owner = owners.get(hostname);
    for (const [minute, metrics] of minutes) {
      const requests = requestsIn(metrics);
      if (owner) {
        addMinute(increments, edgeId, owner, minute, metrics);
        accepted += requests;
      } else unknownHost += requests;
    }
  }
  return { increments: [...increments.values()], counted: { accepted, unknownHost } };
}

type Increments = Map<string, RollupIncrement>;

function addMinute(
  increments: Increments,
  edgeId: string,
  { accountId, propertyId }: PropertyOwner,
  minute: number,
  metrics: MetricsByDimension,
): void {
  const time = minute * granularities.minute.milliseconds;
  for (const owner of [propertyId, accountId])
    for (const granularity of ['minute', 'hour', 'day'] as const) {
      const start = bucketStart(granularity, time);
      const key = `${owner} ${granularity} ${start}`;
      let increment = increments.get(key);
      if (!increment) {
        increment = { edgeId, start, metrics: new Map(), owner, accountId, granularity };
        increments.set(key, increment);
      }
      addAllMetrics(increment.metrics, metrics);
    }
}

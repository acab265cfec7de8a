import type { Dimension } from './dimension.ts';
import { addMetrics, atLeastZero, requestsIn } from './metrics.ts';
import type { Rollup } from './rollup.ts';
import { readPropertyRequests, readRollups } from './rollup-table.ts';
import { addSeries, bucketIn, type Series, seriesOf, sumOf } from './series.ts';
import { pointsIn, type TimeRange } from './time-range.ts';

/** The series of each group, by its key. */
export type Breakdown = ReadonlyMap<string, Series>;

/** One group as a response shows it. */
export interface Group {
  readonly key: string;
  readonly series: Series;
}

const keyBy = {
  edge: ({ edgeId }: Rollup) => edgeId,
  status: (_: Rollup, { status }: Dimension) => status,
  cache: (_: Rollup, { cache }: Dimension) => cache,
} as const;

/** Breaks down what was read already. */
export function breakDown(rollups: readonly Rollup[], by: keyof typeof keyBy): Breakdown {
  const groups = new Map<string, Series>();
  for (const rollup of rollups)
    for (const [dimension, { requests, bytes }] of rollup.metrics) {
      const key = keyBy[by](rollup, dimension);
      const series: Series = groups.get(key) ?? new Map();
      groups.set(key, series);
      addMetrics(bucketIn(series, rollup.start), dimension, requests, bytes);
    }
  return groups;
}

const readAtOnce = 5;

/**
 * The account's busiest properties. Their requests on the range's days can only be more than those in the range, so
 * that reading ends where no other property can be among the busiest: mostly after as many as are shown.
 */
export async function readBusiestProperties(
  accountId: string,
  range: TimeRange,
  now: Date,
): Promise<Breakdown> {
  const limit = groupLimit(range);
  const candidates = [...(await readPropertyRequests(accountId, range))].sort(([, a], [, b]) => b - a);
  const found = new Map<string, Series>();
  for (let start = 0; start < candidates.length; start += readAtOnce) {
    const least = ranked(found)[limit - 1]?.requests;
    if (least !== undefined && least >= (candidates[start]?.[1] ?? 0)) break;
    const next = candidates.slice(start, start + readAtOnce);
    const read = await Promise.all(next.map(([id]) => readRollups(id, range, now)));
    for (const [index, [id]] of next.entries()) found.set(id, seriesOf(read[index] ?? []));
  }
  return found;
}

/** The busiest groups, and all others as `other` where there are more. */
export function busiest(breakdown: Breakdown, all: Series, range: TimeRange): readonly Group[] {
  const shown = ranked(breakdown).slice(0, groupLimit(range));
  const rest = without(all, shown);
  return requestsIn(sumOf(rest)) > 0 ? [...shown, { key: 'other', series: rest }] : shown;
}

const maximumGroups = 100;

/** A response must stay under 6 MB, and a point takes up to 300 bytes of it. */
const maximumGroupPoints = 18_000;

function groupLimit(range: TimeRange): number {
  return Math.min(maximumGroups, Math.floor(maximumGroupPoints / pointsIn(range)) - 1);
}

function ranked(breakdown: Breakdown) {
  return [...breakdown]
    .map(([key, series]) => ({ key, series, requests: requestsIn(sumOf(series)) }))
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests || (a.key < b.key ? -1 : 1));
}

function without(all: Series, groups: readonly Group[]): Series {
  const rest: Series = new Map();
  addSeries(rest, all);
  for (const { series } of groups) addSeries(rest, series, -1);
  // All of it is read a moment before its parts, which may have grown since.
  for (const metrics of rest.values()) atLeastZero(metrics);
  return rest;
}

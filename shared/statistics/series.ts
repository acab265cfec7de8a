import { addAllMetrics, type MetricsByDimension } from './metrics.ts';
import type { Rollup } from './rollup.ts';
import { bucketsOf, isComplete, type TimeRange } from './time-range.ts';
import { type Point, type Totals, totalsOf } from './totals.ts';

/** Metrics by the beginning of their bucket, of buckets that have any. */
export type Series = Map<number, MetricsByDimension>;

/** The rollups of all edges together. */
export function seriesOf(rollups: readonly Rollup[]): Series {
  const series: Series = new Map();
  for (const { start, metrics } of rollups) addAllMetrics(bucketIn(series, start), metrics);
  return series;
}

export function bucketIn(series: Series, start: number): MetricsByDimension {
  const known = series.get(start);
  if (known) return known;
  const bucket: MetricsByDimension = new Map();
  series.set(start, bucket);
  return bucket;
}

/** Adds a series to another; with the sign -1 it takes it away. */
export function addSeries(to: Series, from: Series, sign: 1 | -1 = 1): void {
  for (const [start, metrics] of from) addAllMetrics(bucketIn(to, start), metrics, sign);
}

export function sumOf(series: Series): MetricsByDimension {
  const sum: MetricsByDimension = new Map();
  for (const metrics of series.values()) addAllMetrics(sum, metrics);
  return sum;
}

/** As responses show it: the totals, and a point for every bucket of the range. */
export function shownSeries(
  series: Series,
  range: TimeRange,
  now: Date,
): { readonly totals: Totals; readonly series: Point[] } {
  return {
    totals: totalsOf(sumOf(series)),
    series: bucketsOf(range).map((start) => ({
      time: new Date(start).toISOString(),
      complete: isComplete(range, start, now),
      ...totalsOf(series.get(start) ?? new Map()),
    })),
  };
}

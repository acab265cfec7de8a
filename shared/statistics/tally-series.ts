import type { CacheResult } from './cell.ts';
import {
  addCell,
  addTally,
  clampTally,
  emptyTally,
  type Point,
  type Tally,
  type Totals,
  totalsOf,
} from './point.ts';
import type { CountedBucket } from './series-table.ts';
import { bucketsOf, isComplete, type Span } from './span.ts';

/** A tally for each bucket that has one. */
export type TallySeries = Map<number, Tally>;

/** By what numbers of one property or account are grouped; all of it can be read from the same items. */
export type CellGrouping = 'edge' | 'status' | 'cache';

type KeyOf = (edgeId: string, cell: { readonly cache: CacheResult; readonly status: string }) => string;

const keyBy: Readonly<Record<CellGrouping, KeyOf>> = {
  edge: (edgeId) => edgeId,
  status: (_, { status }) => status,
  cache: (_, { cache }) => cache,
};

export function tallyOf(buckets: readonly CountedBucket[]): TallySeries {
  const series: TallySeries = new Map();
  for (const { index, counts } of buckets)
    for (const { cell, requests, bytes } of counts) addCell(at(series, index), cell, requests, bytes);
  return series;
}

export function groupTallies(
  buckets: readonly CountedBucket[],
  grouping: CellGrouping,
): Map<string, TallySeries> {
  const groups = new Map<string, TallySeries>();
  for (const { index, edgeId, counts } of buckets)
    for (const { cell, requests, bytes } of counts) {
      const key = keyBy[grouping](edgeId, cell);
      const series = groups.get(key) ?? new Map();
      groups.set(key, series);
      addCell(at(series, index), cell, requests, bytes);
    }
  return groups;
}

/** Adds a series to another; with the sign -1 it takes it away. */
export function addSeries(to: TallySeries, from: TallySeries, sign: 1 | -1 = 1): void {
  for (const [index, tally] of from) addTally(at(to, index), tally, sign);
}

export function atLeastZero(series: TallySeries): TallySeries {
  return new Map([...series].map(([index, tally]) => [index, clampTally(tally)]));
}

export function sumOf(series: TallySeries): Tally {
  const sum = emptyTally();
  for (const tally of series.values()) addTally(sum, tally);
  return sum;
}

/** As answers show it: the totals, and a point for every bucket of the span. */
export function shownSeries(
  series: TallySeries,
  span: Span,
  now: Date,
): { readonly totals: Totals; readonly series: readonly Point[] } {
  return {
    totals: totalsOf(sumOf(series)),
    series: bucketsOf(span).map((start, index) => ({
      time: new Date(start).toISOString(),
      complete: isComplete(span, start, now),
      ...totalsOf(series.get(index) ?? emptyTally()),
    })),
  };
}

function at(series: TallySeries, index: number): Tally {
  const known = series.get(index);
  if (known) return known;
  const made = emptyTally();
  series.set(index, made);
  return made;
}

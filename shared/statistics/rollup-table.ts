import { addStep, type BulkStep } from '../aws/bulk-transaction.ts';
import { queryPages } from '../aws/query.ts';
import { table } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { dimensions, type MetricAttribute } from './dimension.ts';
import { bucketExpiry, bucketText, type Granularity, granularities, parseBucketText } from './granularity.ts';
import { type MetricsByDimension, requestsIn } from './metrics.ts';
import type { Rollup, RollupIncrement } from './rollup.ts';
import { isKept, type TimeRange } from './time-range.ts';

interface StatisticsItem {
  readonly series: string;
  /** The bucket, then whose part of it: each edge adds to items of its own, so that edges never wait for one another. */
  readonly slot: string;
  readonly expiresAt: number;
}

interface RollupItem extends StatisticsItem, Readonly<Partial<Record<MetricAttribute, number>>> {}

/** A property's requests of a day, in a series of its account, by which the busiest properties are found. */
interface PropertyDayItem extends StatisticsItem {
  readonly requests: number;
}

const rollups = table<'statistics', RollupItem>('statistics');
const propertyDays = table<'statistics', PropertyDayItem>('statistics');

export const readStatisticsTouches = { tables: { statistics: ['Query'] } } as const satisfies Touches;
export const addRollupTouches = { tables: { statistics: ['UpdateItem'] } } as const satisfies Touches;

/** The rollups of a property or an account in a time range. */
export async function readRollups(owner: string, range: TimeRange, now: Date): Promise<readonly Rollup[]> {
  const { granularity } = range;
  const found: Rollup[] = [];
  for await (const page of queryPages(rollups, queryOf(rollupSeries(owner, granularity), range)))
    for (const item of page) {
      const [text = '', edgeId = ''] = item.slot.split('#');
      const start = parseBucketText(granularity, text);
      if (isKept(range, start, now)) found.push({ edgeId, start, metrics: metricsOf(item) });
    }
  return found;
}

/** How many requests each of the account's properties had on the days that the range touches, deleted ones too. */
export async function readPropertyRequests(
  accountId: string,
  { from, to }: TimeRange,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const days = { granularity: 'day', from, to: to - 1 + granularities.day.milliseconds } as const;
  for await (const page of queryPages(propertyDays, queryOf(propertyDaySeries(accountId), days)))
    for (const { slot, requests } of page) {
      const [, propertyId = ''] = slot.split('#');
      found.set(propertyId, (found.get(propertyId) ?? 0) + requests);
    }
  return found;
}

/** Steps of the transaction that counts a chunk: one, and two for a property's day. */
export function rollupSteps(increment: RollupIncrement): readonly BulkStep[] {
  const { owner, accountId, granularity, start, edgeId, metrics } = increment;
  const bucket = bucketText(granularity, start);
  const set = { expiresAt: bucketExpiry(granularity, start) };
  const key = { series: rollupSeries(owner, granularity), slot: `${bucket}#${edgeId}` };
  const step = addStep(rollups, key, { set, add: attributesOf(metrics) });
  if (granularity !== 'day' || owner === accountId) return [step];
  const dayKey = { series: propertyDaySeries(accountId), slot: `${bucket}#${owner}#${edgeId}` };
  return [step, addStep(propertyDays, dayKey, { set, add: { requests: requestsIn(metrics) } })];
}

function rollupSeries(owner: string, granularity: Granularity): string {
  return `${owner}#${granularities[granularity].letter}`;
}

function propertyDaySeries(accountId: string): string {
  return `${accountId}#properties`;
}

function queryOf(partition: string, { granularity, from, to }: TimeRange) {
  return {
    partition,
    from: bucketText(granularity, from),
    // An item's slot goes on after its bucket, so none equals this and none of the last bucket comes after it.
    to: bucketText(granularity, to),
    isEventual: true,
  } as const;
}

function metricsOf(item: RollupItem): MetricsByDimension {
  const metrics: MetricsByDimension = new Map();
  for (const dimension of dimensions) {
    const requests = item[dimension.requestsAttribute] ?? 0;
    if (requests > 0) metrics.set(dimension, { requests, bytes: item[dimension.bytesAttribute] ?? 0 });
  }
  return metrics;
}

function attributesOf(metrics: MetricsByDimension): Partial<Record<MetricAttribute, number>> {
  const attributes: Partial<Record<MetricAttribute, number>> = {};
  for (const [{ requestsAttribute, bytesAttribute }, { requests, bytes }] of metrics) {
    attributes[requestsAttribute] = requests;
    attributes[bytesAttribute] = bytes;
  }
  return attributes;
}

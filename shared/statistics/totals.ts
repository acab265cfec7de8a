import * as z from 'zod';
import { Time } from '../http/time.ts';
import type { MetricsByDimension } from './metrics.ts';

const counted = {
  requests: count('Requests that the edges served.'),
  bytes: count('Bytes of the responses, as the edges’ logs have them.'),
  hits: count('Requests served from the cache, stale and revalidated responses included.'),
  misses: count('Requests that looked in the cache and were fetched from the origin.'),
  passes: count('Requests that never asked the cache: passed on, or served by the edge itself.'),
  hitRatio: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('hits / (hits + misses), so that passes do not weigh; null where there were neither.'),
  status2xx: count('Responses of status 200 to 299.'),
  status3xx: count('Responses of status 300 to 399.'),
  status4xx: count('Responses of status 400 to 499.'),
  status5xx: count('Responses of status 500 to 599.'),
};

export const Totals = z
  .object(counted)
  .meta({ id: 'StatisticsTotals', description: 'Numbers of a time range.' });
export type Totals = z.output<typeof Totals>;

export const Point = z
  .object({
    time: Time.describe('Where the bucket begins.'),
    complete: z.boolean().describe('False while lines of this bucket are still expected.'),
    ...counted,
  })
  .meta({ id: 'StatisticsPoint', description: 'Numbers of one bucket.' });
export type Point = z.output<typeof Point>;

const cacheFields = { hit: 'hits', miss: 'misses', pass: 'passes' } as const;
const statusFields = new Map<string, 'status2xx' | 'status3xx' | 'status4xx' | 'status5xx'>([
  ['2', 'status2xx'],
  ['3', 'status3xx'],
  ['4', 'status4xx'],
  ['5', 'status5xx'],
]);

export function totalsOf(metrics: MetricsByDimension): Totals {
  const totals: Totals = {
    requests: 0,
    bytes: 0,
    hits: 0,
    misses: 0,
    passes: 0,
    hitRatio: null,
    status2xx: 0,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
  };
  for (const [{ cache, status }, { requests, bytes }] of metrics) {
    totals.requests += requests;
    totals.bytes += bytes;
    totals[cacheFields[cache]] += requests;
    const field = statusFields.get(status.charAt(0));
    if (field) totals[field] += requests;
  }
  const { hits, misses } = totals;
  if (hits + misses > 0) totals.hitRatio = hits / (hits + misses);
  return totals;
}

function count(description: string) {
  return z.int().min(0).describe(description);
}

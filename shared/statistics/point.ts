import * as z from 'zod';
import { Time } from '../http/time.ts';
import type { Cell } from './cell.ts';

const counted = {
  requests: count('Requests that the edges answered.'),
  bytes: count('Bytes of the answers, as the edges’ logs have them.'),
  hits: count('Requests answered from the cache, stale and revalidated answers included.'),
  misses: count('Requests that looked in the cache and were fetched from the origin.'),
  passes: count('Requests that never asked the cache: passed on, or answered by the edge itself.'),
  hitRatio: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('hits / (hits + misses), so that passes do not weigh; null where there were neither.'),
  status2xx: count('Answers of status 200 to 299.'),
  status3xx: count('Answers of status 300 to 399.'),
  status4xx: count('Answers of status 400 to 499.'),
  status5xx: count('Answers of status 500 to 599.'),
};

export const Totals = z.object(counted).meta({ id: 'StatisticsTotals', description: 'Numbers of a span.' });
export type Totals = z.output<typeof Totals>;

export const Point = z
  .object({
    time: Time.describe('Where the bucket begins.'),
    complete: z.boolean().describe('False while lines of this bucket are still expected.'),
    ...counted,
  })
  .meta({ id: 'StatisticsPoint', description: 'Numbers of one bucket.' });
export type Point = z.output<typeof Point>;

/** Numbers that can be added up. */
export type Tally = Omit<Totals, 'hitRatio'>;

const cacheField = { hit: 'hits', miss: 'misses', pass: 'passes' } as const;
const classField = { 2: 'status2xx', 3: 'status3xx', 4: 'status4xx', 5: 'status5xx' } as const;

export function emptyTally(): Tally {
  return {
    requests: 0,
    bytes: 0,
    hits: 0,
    misses: 0,
    passes: 0,
    status2xx: 0,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
  };
}

/** @returns the tally with nothing below zero */
export function clampTally(tally: Tally): Tally {
  const clamped = emptyTally();
  for (const field of Object.keys(clamped) as (keyof Tally)[]) clamped[field] = Math.max(0, tally[field]);
  return clamped;
}

export function addCell(tally: Tally, { cache, status }: Cell, requests: number, bytes: number): void {
  tally.requests += requests;
  tally.bytes += bytes;
  tally[cacheField[cache]] += requests;
  const field = statusField(status);
  if (field) tally[field] += requests;
}

/** @param sign -1 takes away */
export function addTally(to: Tally, from: Tally, sign: 1 | -1 = 1): void {
  for (const field of Object.keys(to) as (keyof Tally)[]) to[field] += sign * from[field];
}

export function totalsOf({ requests, bytes, hits, misses, passes, ...statuses }: Tally): Totals {
  return {
    requests,
    bytes,
    hits,
    misses,
    passes,
    hitRatio: hits + misses > 0 ? hits / (hits + misses) : null,
    ...statuses,
  };
}

function count(description: string) {
  return z.int().min(0).describe(description);
}

function statusField(status: string) {
  return new Map<string, keyof Tally>(Object.entries(classField)).get(status.charAt(0));
}

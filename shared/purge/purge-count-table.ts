import { queryAll } from '../aws/query.ts';
import { table, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import type { AcceptedPurge } from './purge.ts';

/** How many purges a property had in one day. */
interface CountItem {
  readonly propertyId: string;
  readonly day: string;
  readonly purges: number;
  /** Unix seconds. */
  readonly expiresAt: number;
}

const counts = table<'purgeCounts', CountItem>('purgeCounts');
const secondsInADay = 24 * 3600;
const keptDays = 30;

/** All purges of one day end together, so that a day's count never needs to know which of them are left. */
export function keepUntil(createdAt: string): number {
  return midnightAfter(createdAt) + keptDays * secondsInADay;
}

export const countPurgeTouches = { tables: { purgeCounts: ['UpdateItem'] } } as const satisfies Touches;

/** Adds to how many purges the property had that day. */
export async function countPurge(
  { propertyId, createdAt }: AcceptedPurge,
  difference: 1 | -1,
): Promise<void> {
  await updateItem(
    counts,
    { propertyId, day: dayOf(createdAt) },
    { set: { expiresAt: keepUntil(createdAt) }, add: { purges: difference } },
  );
}

export const countPurgesTouches = { tables: { purgeCounts: ['Query'] } } as const satisfies Touches;

/** How many purges of the property have not expired, at the cost of one read for each day. */
export async function countPurges(propertyId: string, now: Date): Promise<number> {
  return (await queryAll(counts, { partition: propertyId }))
    .filter(({ expiresAt }) => expiresAt * 1000 > now.getTime())
    .reduce((sum, { purges }) => sum + purges, 0);
}

function midnightAfter(timestamp: string): number {
  return Date.parse(`${dayOf(timestamp)}T00:00:00Z`) / 1000 + secondsInADay;
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

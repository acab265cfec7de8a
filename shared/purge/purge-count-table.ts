import { absent, allOf, compare, present } from '../aws/expression.ts';
import { queryAll } from '../aws/query.ts';
import { table, updateAndGet, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import type { AcceptedPurge } from './purge.ts';

/** So many are counted; a property that has more purges has "10,000". */
export const countLimit = 10_000;

/** How many purges a property had in one day. */
export interface CountedDay {
  readonly propertyId: string;
  readonly day: string;
  readonly purges: number;
  /** The property had enough without this day's when it began: `purges` is of its first moments only. */
  readonly isUncounted?: true;
  /** Unix seconds. */
  readonly expiresAt: number;
}

export type PurgeDay = Pick<CountedDay, 'propertyId' | 'day'>;

const counts = table<'purgeCounts', CountedDay>('purgeCounts');
const secondsInADay = 24 * 3600;
const keptDays = 30;

/** All purges of one day end together, so that a day's count never needs to know which of them are left. */
export function keepUntil(createdAt: string): number {
  return midnightAfter(createdAt) + keptDays * secondsInADay;
}

export function dayOf({ propertyId, createdAt }: Pick<AcceptedPurge, 'propertyId' | 'createdAt'>): PurgeDay {
  return { propertyId, day: createdAt.slice(0, 10) };
}

/** The day's first moment. */
export function beginningOf({ day }: PurgeDay): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Of every change of a day. */
export const changeDayTouches = { tables: { purgeCounts: ['UpdateItem'] } } as const satisfies Touches;

/** @returns how many purges the day has with this one; undefined where the day is not counted */
export async function addToDay(day: PurgeDay): Promise<number | undefined> {
  const change = { set: { expiresAt: keepUntil(day.day) }, add: { purges: 1 } };
  const added = await updateAndGet(counts, day, change, absent('isUncounted'));
  return added.isUpdated ? added.item.purges : undefined;
}

/** Takes a purge back; where the day has enough, others may have gone uncounted since. */
export async function takeFromDay(day: PurgeDay): Promise<void> {
  const isExact = allOf<'purges' | 'isUncounted'>(compare('purges', '<', countLimit), absent('isUncounted'));
  await updateItem(counts, day, { add: { purges: -1 } }, isExact);
}

export async function leaveUncounted(day: PurgeDay): Promise<void> {
  await updateItem(counts, day, { set: { isUncounted: true } }, present('purges'));
}

/** Keeps how many purges a day had that was not counted while it lasted. */
export async function noteDay(day: PurgeDay, purges: number): Promise<void> {
  await updateItem(counts, day, { set: { purges }, remove: ['isUncounted'] }, present('isUncounted'));
}

export const readDaysTouches = { tables: { purgeCounts: ['Query'] } } as const satisfies Touches;

/** The days whose purges have not expired, the oldest first. */
export async function readDays(propertyId: string, now: Date): Promise<readonly CountedDay[]> {
  const days = await queryAll(counts, { partition: propertyId });
  return days.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime());
}

function midnightAfter(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 10)}T00:00:00Z`) / 1000 + secondsInADay;
}

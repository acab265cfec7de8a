import { touching } from '../ground/touches.ts';
import type { AcceptedPurge } from './purge.ts';
import {
  addToDay,
  beginningOf,
  type CountedDay,
  changeDayTouches,
  countLimit,
  dayOf,
  leaveUncounted,
  noteDay,
  type PurgeDay,
  readDays,
  readDaysTouches,
  takeFromDay,
} from './purge-count-table.ts';
import { countPurgesOf, purgesNewestFirstTouches } from './purge-table.ts';

/** Days of properties that this process need not count any more, by both. */
const enough = new Set<string>();
const remembered = 10_000;

export const totalPurgesTouches = touching(readDaysTouches, changeDayTouches, purgesNewestFirstTouches);

/**
 * How many purges of the property have not expired, at most 10,000: one read of a small count for each day. A day that
 * was not counted while it lasted is counted when it first matters, once.
 */
export async function totalPurges(propertyId: string, now: Date): Promise<number> {
  return totalOf(await readDays(propertyId, now), now);
}

export const countPurgeTouches = totalPurgesTouches;

/**
 * Counts a purge in its day, unless the property has 10,000 without it for as long as the purge is kept: in that day
 * alone, or in the days before while it lasts.
 * @returns whether it was counted
 */
export async function countPurge(purge: AcceptedPurge): Promise<boolean> {
  const day = dayOf(purge);
  const name = `${day.propertyId} ${day.day}`;
  if (enough.has(name)) return false;
  const purges = await addToDay(day);
  const isEnough =
    purges === undefined || purges >= countLimit || (purges === 1 && (await leaveUncountedWhereEnough(day)));
  if (isEnough) remember(name);
  return purges !== undefined;
}

export const uncountPurgeTouches = changeDayTouches;

/** Takes back a purge that was counted. */
export async function uncountPurge(purge: AcceptedPurge): Promise<void> {
  await takeFromDay(dayOf(purge));
}

async function totalOf(days: readonly CountedDay[], now: Date): Promise<number> {
  let total = days.reduce((sum, { purges, isUncounted }) => (isUncounted ? sum : sum + purges), 0);
  for (const day of days.filter(({ isUncounted }) => isUncounted)) {
    if (total >= countLimit) break;
    total += await countDay(day, now);
  }
  return Math.min(total, countLimit);
}

/** Leaves a day uncounted that begins while the days before it have enough: all of those are kept until it is over. */
async function leaveUncountedWhereEnough(day: PurgeDay): Promise<boolean> {
  const now = beginningOf(day);
  const before = (await readDays(day.propertyId, now)).filter((other) => other.day !== day.day);
  if ((await totalOf(before, now)) < countLimit) return false;
  await leaveUncounted(day);
  return true;
}

async function countDay({ propertyId, day }: PurgeDay, now: Date): Promise<number> {
  const from = beginningOf({ propertyId, day });
  const until = new Date(from.getTime() + 24 * 3600 * 1000);
  const purges = await countPurgesOf(propertyId, { from, until }, countLimit);
  if (until <= now) await noteDay({ propertyId, day }, purges);
  return purges;
}

function remember(name: string): void {
  if (enough.size >= remembered) enough.clear();
  enough.add(name);
}

import { createHash } from 'node:crypto';
import type { EdgeScope } from '../edge/scope.ts';
import { shardCount } from '../property/config-change-table.ts';

/** How far an edge has come. */
export interface Cursor {
  /** Digest of the scope that it was made for. */
  readonly scope: string;
  /** Days of Unix time: when it was begun, or had last reached the end. */
  readonly day: number;
  /** Whether it is on its way through everything, at whose end what was not named is dropped. */
  readonly isWhole: boolean;
  /** Of each shard, the number of the last change that it has passed. */
  readonly positions: readonly number[];
}

/** Deletions are kept for 31 days, and a cursor that counts as 29 days old may be nearly 30. */
const longestDays = 29;
const millisecondsInADay = 86_400_000;
const form = /^1\.([\w-]{16})\.([0-9a-z]{1,6})\.([wc])\.((?:[0-9a-z]{1,9}-){63}[0-9a-z]{1,9})$/;
const radix = 36;

/** A cursor as its holder keeps it: opaque to it, and of characters that a query takes as they are. */
export function cursorText({ scope, day, isWhole, positions }: Cursor): string {
  const places = positions.map((position) => position.toString(radix)).join('-');
  return `1.${scope}.${day.toString(radix)}.${isWhole ? 'w' : 'c'}.${places}`;
}

/** @returns undefined for what is no cursor */
export function parseCursor(text: string): Cursor | undefined {
  const [, scope = '', day = '', kind, places = ''] = form.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const positions = places.split('-').map((place) => Number.parseInt(place, radix));
  return { scope, day: Number.parseInt(day, radix), isWhole: kind === 'w', positions };
}

/** The beginning of all that is in the scope. */
export function newCursor(scope: EdgeScope, now: Date): Cursor {
  const positions = Array.from({ length: shardCount }, () => 0);
  return { scope: digestOf(scope), day: dayOf(now), isWhole: true, positions };
}

/**
 * Whether one may go on from the cursor: it was made for this scope, misses no deletion, and is not ahead of what was
 * written, as it may be after the database was restored.
 */
export function isUsable(cursor: Cursor, scope: EdgeScope, counters: readonly number[], now: Date): boolean {
  const age = dayOf(now) - cursor.day;
  return (
    cursor.scope === digestOf(scope) &&
    age >= 0 &&
    age <= longestDays &&
    isCovered(cursor.positions, counters)
  );
}

/** Whether every position is passed in the other ones. */
export function isCovered(positions: readonly number[], others: readonly number[]): boolean {
  return positions.every((position, shard) => position <= (others[shard] ?? 0));
}

export function dayOf(now: Date): number {
  return Math.floor(now.getTime() / millisecondsInADay);
}

function digestOf({ accounts, properties }: EdgeScope): string {
  const text = JSON.stringify([accounts.toSorted(), properties.toSorted()]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

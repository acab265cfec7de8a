import { createHash } from 'node:crypto';
import { absent, compare } from '../aws/expression.ts';
import { queryAll } from '../aws/query.ts';
import { scanAll } from '../aws/scan.ts';
import { deleteItem, getItem, table, updateAndGet, updateItem } from '../aws/table.ts';
import type { Missed } from '../delivery/missed.ts';
import { newId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';

/** An edge has missed purges of a property: those that are open on it from the given one on. */
export interface Hint extends Missed {
  /** A new one after each bump, and never one that was there before. */
  readonly version: string;
}

interface HintItem extends Hint {
  readonly edgeBucket: string;
}

const hints = table<'hints', HintItem>('hints');

/** The properties of an edge are spread over so many partitions, so that none takes the writes of every tenant. */
const bucketCount = 16;
const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);

export const bumpHintTouches = { tables: { hints: ['UpdateItem'] } } as const satisfies Touches;

/**
 * Makes certain that a catch-up of the edge sees the property's purges from the given one on: a later one, or the
 * one at work, which cannot delete the hint any more and looks again. One write, two for a new hint.
 * @returns whether there was no hint
 */
export async function bumpHint(missed: Missed): Promise<boolean> {
  const { edgeId, accountId, propertyId, since } = missed;
  const key = keyOf(edgeId, propertyId);
  const version = newId();
  const bumped = await updateAndGet(hints, key, { set: { version } }, compare('since', '<=', since));
  if (bumped.isUpdated) return false;
  const isNew = bumped.attributes.length === 0;
  const isStill = isNew ? absent<'since'>('since') : compare('since', '>', since);
  const isWritten = await updateItem(hints, key, { set: { edgeId, accountId, since, version } }, isStill);
  return isWritten ? isNew : bumpHint(missed);
}

export const readHintsTouches = { tables: { hints: ['Query', 'GetItem'] } } as const satisfies Touches;

/** Every property of which the edge has missed purges. */
export async function listHints(edgeId: string): Promise<readonly Hint[]> {
  const found = buckets.map((bucket) => queryAll(hints, { partition: `${edgeId}#${bucket}` }));
  return (await Promise.all(found)).flat();
}

/** The hint as it stands; undefined where the edge has missed nothing of the property any more. */
export function getHint({ edgeId, propertyId }: Missed): Promise<Hint | undefined> {
  return getItem(hints, keyOf(edgeId, propertyId));
}

export const deleteHintTouches = { tables: { hints: ['DeleteItem'] } } as const satisfies Touches;

/** @returns false where it was bumped since it was read */
export function deleteHint({ edgeId, propertyId, version }: Hint): Promise<boolean> {
  return deleteItem(hints, keyOf(edgeId, propertyId), compare('version', '=', version));
}

export const edgesWithHintsTouches = { tables: { hints: ['Scan'] } } as const satisfies Touches;

/** Ids of the edges that have missed something. */
export async function edgesWithHints(): Promise<ReadonlySet<string>> {
  return new Set((await listAllHints()).map(({ edgeId }) => edgeId));
}

/** What all edges have missed. Reads the whole table, which is as large as what is missed. */
export function listAllHints(): Promise<readonly Hint[]> {
  return scanAll(hints);
}

function keyOf(edgeId: string, propertyId: string) {
  const bucket = createHash('sha256').update(propertyId).digest().readUInt32BE() % bucketCount;
  return { edgeBucket: `${edgeId}#${bucket}`, propertyId };
}

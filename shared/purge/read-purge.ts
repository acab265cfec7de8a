import { touching } from '../ground/touches.ts';
import type { PurgeKey } from './purge.ts';
import { getContent, getContentTouches } from './purge-content-table.ts';
import type { Purge } from './purge-record.ts';
import { isOverdue, toPurge } from './purge-status.ts';
import { getPurgeItem, getPurgeItemTouches, type PurgeItem, toRecord } from './purge-table.ts';
import { getQueueEmptyAt, getQueueEmptyAtTouches } from './queue-state-table.ts';

export const readPurgeTouches = touching(getPurgeItemTouches, getQueueEmptyAtTouches);

/** A purge without its values. @returns undefined for one that does not exist or has expired */
export async function readPurge(key: PurgeKey, now: Date): Promise<Purge | undefined> {
  const item = await getPurgeItem(key, now);
  return item && toShown(item, now);
}

export const readWholePurgeTouches = touching(readPurgeTouches, getContentTouches);

/** A purge with its values. @returns undefined for one that does not exist or has expired */
export async function readWholePurge(key: PurgeKey, now: Date): Promise<Purge | undefined> {
  const item = await getPurgeItem(key, now);
  if (!item) return undefined;
  // Record and content may be being written, both at once.
  const content = (await getContent(item)) ?? (await getContent(item));
  return { ...(await toShown(item, now)), values: [...(content?.values ?? [])] };
}

async function toShown(item: PurgeItem, now: Date): Promise<Purge> {
  const record = toRecord(item);
  const queueEmptyAt = isOverdue(record, now) ? await getQueueEmptyAt() : undefined;
  return toPurge(record, [], { now, queueEmptyAt });
}

import { touching } from '../ground/touches.ts';
import type { PurgeKey } from './purge.ts';
import { getContent, getContentTouches } from './purge-content-table.ts';
import type { Purge } from './purge-record.ts';
import { isOverdue, toPurge } from './purge-status.ts';
import { getPurgeRecord, getPurgeRecordTouches } from './purge-table.ts';
import { getQueueEmptyAt, getQueueEmptyAtTouches } from './queue-state-table.ts';

export const readPurgeTouches = touching(getPurgeRecordTouches, getQueueEmptyAtTouches);

/** A purge without its values. @returns undefined for one that does not exist or has expired */
export async function readPurge({ propertyId, id }: PurgeKey, now: Date): Promise<Purge | undefined> {
  const record = await getPurgeRecord(propertyId, id, now);
  if (!record) return undefined;
  const queueEmptyAt = isOverdue(record, now) ? await getQueueEmptyAt() : undefined;
  return toPurge(record, [], { now, queueEmptyAt });
}

export const readWholePurgeTouches = touching(readPurgeTouches, getContentTouches);

/** A purge with its values. @returns undefined for one that does not exist or has expired */
export async function readWholePurge(key: PurgeKey, now: Date): Promise<Purge | undefined> {
  const [purge, content] = await Promise.all([readPurge(key, now), getContent(key)]);
  if (!purge) return undefined;
  // Record and content may have been written between the two reads.
  const { values = [] } = content ?? (await getContent(key)) ?? {};
  return { ...purge, values: [...values] };
}

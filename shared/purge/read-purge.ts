import { getContent } from './purge-content-table.ts';
import type { Purge } from './purge-record.ts';
import { isOverdue, toPurge } from './purge-status.ts';
import { getPurgeRecord, type PurgeKey } from './purge-table.ts';
import { getQueueEmptyAt } from './queue-state-table.ts';

/** A purge without its values. @returns undefined for one that does not exist or has expired */
export async function readPurge({ propertyId, id }: PurgeKey, now: Date): Promise<Purge | undefined> {
  const record = await getPurgeRecord(propertyId, id, now);
  if (!record) return undefined;
  const queueEmptyAt = isOverdue(record, now) ? await getQueueEmptyAt() : undefined;
  return toPurge(record, [], { now, queueEmptyAt });
}

/** A purge with its values. @returns undefined for one that does not exist or has expired */
export async function readWholePurge(key: PurgeKey, now: Date): Promise<Purge | undefined> {
  const [purge, content] = await Promise.all([readPurge(key, now), getContent(key)]);
  return purge && { ...purge, values: [...(content?.values ?? [])] };
}

import { UsedCredential } from '../auth/used-credential.ts';
import { absent } from '../aws/expression.ts';
import { deleteItem, getItem, putItem, table } from '../aws/table.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { decodeProgress } from './progress.ts';
import { type AcceptedPurge, type PurgeKey, purgeKey } from './purge.ts';
import { deleteContent, deleteContentTouches, putContent, putContentTouches } from './purge-content-table.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeRecord } from './purge-record.ts';

export interface PurgeItem extends Omit<PurgeRecord, 'progress'>, PurgeKey {
  readonly accountId: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly progress?: Uint8Array;
}

export const purges = table<'purges', PurgeItem>('purges');

/** The database gives a map's fields in any order, the schema in its own. */
export function toRecord({ progress, requestedBy, ...item }: PurgeItem): PurgeRecord {
  return {
    ...item,
    requestedBy: UsedCredential.parse(requestedBy),
    ...(progress && { progress: decodeProgress(progress) }),
  };
}

export const recordPurgeTouches = touching({ tables: { purges: ['PutItem'] } }, putContentTouches);

/**
 * Makes the purge's record and its content, or leaves them as they are: handler and consumer may both do it.
 * @returns whether there was no record before
 */
export async function recordPurge(purge: AcceptedPurge): Promise<boolean> {
  const [isNew] = await Promise.all([putRecord(purge), putContent(purge)]);
  return isNew;
}

export const forgetPurgeTouches = touching({ tables: { purges: ['DeleteItem'] } }, deleteContentTouches);

/** Takes back the record of a purge that could not be queued; one that runs all the same keeps everything. */
export async function forgetPurge(purge: AcceptedPurge): Promise<void> {
  if (await deleteItem(purges, purgeKey(purge), absent('startedAt'))) await deleteContent(purge);
}

export const getPurgeRecordTouches = { tables: { purges: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for a purge that does not exist or has expired */
export async function getPurgeRecord(
  propertyId: string,
  id: string,
  now: Date,
): Promise<PurgeRecord | undefined> {
  if (!isId(id)) return undefined;
  const item = await getItem(purges, { propertyId, id });
  return item && item.expiresAt * 1000 > now.getTime() ? toRecord(item) : undefined;
}

/** @returns whether there was none before */
function putRecord({ hostnames: _, values: __, ...purge }: AcceptedPurge): Promise<boolean> {
  return putItem(purges, { ...purge, expiresAt: keepUntil(purge.createdAt) }, absent('id'));
}

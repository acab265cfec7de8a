import { UsedCredential } from '../auth/used-credential.ts';
import { absent, compare } from '../aws/expression.ts';
import { countItems, queryPages, type Range } from '../aws/query.ts';
import { deleteItem, getItem, putItem, table } from '../aws/table.ts';
import { firstIdAt, isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { decodeProgress } from './progress.ts';
import type { AcceptedPurge, PurgeKey } from './purge.ts';
import {
  deleteContent,
  deleteContentTouches,
  isSmall,
  type PackedContent,
  pack,
  putContent,
  putContentTouches,
} from './purge-content-table.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeRecord } from './purge-record.ts';
import { mergeDescending, type ShardedKey, shardedKey, shardsOf } from './purge-shards.ts';

export interface PurgeItem extends Omit<PurgeRecord, 'progress'>, PurgeKey, ShardedKey {
  readonly accountId: string;
  /** Where it is small. */
  readonly content?: PackedContent;
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
  const packed = pack(purge);
  if (isSmall(packed)) return putRecord(purge, { content: packed });
  const [isNew] = await Promise.all([putRecord(purge), putContent(purge, packed)]);
  return isNew;
}

export const forgetPurgeTouches = touching({ tables: { purges: ['DeleteItem'] } }, deleteContentTouches);

/** Takes back the record of a purge that could not be queued; one that runs all the same keeps everything. */
export async function forgetPurge(purge: AcceptedPurge): Promise<void> {
  const isForgotten = await deleteItem(purges, shardedKey(purge), absent('startedAt'));
  if (isForgotten && !isSmall(pack(purge))) await deleteContent(purge);
}

export const getPurgeItemTouches = { tables: { purges: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for a purge that does not exist or has expired */
export async function getPurgeItem(purge: PurgeKey, now: Date): Promise<PurgeItem | undefined> {
  if (!isId(purge.id)) return undefined;
  const item = await getItem(purges, shardedKey(purge));
  return item && item.expiresAt * 1000 > now.getTime() ? item : undefined;
}

/** Of countPurgesOf too. */
export const purgesNewestFirstTouches = { tables: { purges: ['Query'] } } as const satisfies Touches;

/**
 * The property's purges that have not expired, newest first, read as far as they are asked for.
 * @param wanted how many are likely to be asked for; as many as there are by default
 * @param before only purges with a lower id
 */
export function purgesNewestFirst(
  propertyId: string,
  now: Date,
  { wanted, before }: { readonly wanted?: number; readonly before?: string } = {},
): AsyncGenerator<PurgeItem> {
  const shards = shardsOf(propertyId);
  const range: Omit<Range<PurgeItem>, 'partition'> = {
    where: compare('expiresAt', '>', Math.floor(now.getTime() / 1000)),
    isDescending: true,
    atOnce: wanted && Math.ceil((1.5 * wanted) / shards.length),
    ...(before !== undefined && { before }),
  };
  return mergeDescending(shards.map((partition) => queryPages(purges, { partition, ...range })));
}

/** How many purges the property has of a time; of as many as are asked for any number may be left out. */
export async function countPurgesOf(
  propertyId: string,
  { from, until }: { readonly from: Date; readonly until: Date },
  atMost: number,
): Promise<number> {
  const range = { from: firstIdAt(from), to: firstIdAt(until) };
  const counts = shardsOf(propertyId).map((partition) => countItems(purges, { partition, ...range }, atMost));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

/** @returns whether there was none before */
function putRecord(
  { hostnames: _, values: __, ...purge }: AcceptedPurge,
  small: Pick<PurgeItem, 'content'> = {},
): Promise<boolean> {
  const item = { ...purge, ...shardedKey(purge), ...small, expiresAt: keepUntil(purge.createdAt) };
  return putItem(purges, item, absent('id'));
}

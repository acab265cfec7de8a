import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { UsedCredential } from '../auth/used-credential.ts';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { isId } from '../ground/id.ts';
import { decodeProgress } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import { deleteContent, putContent } from './purge-content-table.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeRecord } from './purge-record.ts';

export interface PurgeItem extends Omit<PurgeRecord, 'progress'> {
  readonly propertyId: string;
  readonly accountId: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly progress?: Uint8Array;
  /** Counts the writes of `progress`. */
  readonly revision?: number;
}

export interface PurgeKey {
  readonly propertyId: string;
  readonly id: string;
}

/** The database gives a map's fields in any order, the schema in its own. */
export function toRecord({ progress, requestedBy, ...item }: PurgeItem): PurgeRecord {
  return {
    ...item,
    requestedBy: UsedCredential.parse(requestedBy),
    ...(progress && { progress: decodeProgress(progress) }),
  };
}

export function isConditionFailure(error: unknown): boolean {
  return error instanceof ConditionalCheckFailedException;
}

/**
 * Makes the purge's record and its content, or leaves them as they are: handler and consumer may both do it.
 * @returns whether there was no record before
 */
export async function recordPurge(purge: AcceptedPurge): Promise<boolean> {
  const [isNew] = await Promise.all([putRecord(purge), putContent(purge)]);
  return isNew;
}

/** Takes back the record of a purge that could not be queued; one that runs all the same keeps everything. */
export async function forgetPurge(purge: AcceptedPurge): Promise<void> {
  try {
    await dynamodb().send(
      new DeleteCommand({
        TableName: tableName('purges'),
        Key: { propertyId: purge.propertyId, id: purge.id },
        ConditionExpression: 'attribute_not_exists(startedAt)',
      }),
    );
  } catch (error) {
    if (isConditionFailure(error)) return;
    throw error;
  }
  await deleteContent(purge);
}

/** @returns undefined for a purge that does not exist or has expired */
export async function getPurgeRecord(
  propertyId: string,
  id: string,
  now: Date,
): Promise<PurgeRecord | undefined> {
  if (!isId(id)) return undefined;
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('purges'), Key: { propertyId, id }, ConsistentRead: true }),
  );
  const item = Item as PurgeItem | undefined;
  return item && item.expiresAt * 1000 > now.getTime() ? toRecord(item) : undefined;
}

/** @returns whether there was none before */
async function putRecord({ hostnames: _, values: __, ...purge }: AcceptedPurge): Promise<boolean> {
  const item: PurgeItem = { ...purge, expiresAt: keepUntil(purge.createdAt) };
  try {
    await dynamodb().send(
      new PutCommand({
        TableName: tableName('purges'),
        Item: item,
        ConditionExpression: 'attribute_not_exists(id)',
      }),
    );
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

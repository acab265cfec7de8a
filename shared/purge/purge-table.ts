import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { isId } from '../id.ts';
import { decodeProgress, encodeProgress, mergeProgress, type Progress } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeRecord } from './purge-record.ts';

interface PurgeItem extends Omit<PurgeRecord, 'progress'> {
  readonly propertyId: string;
  readonly accountId: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly progress?: Uint8Array;
  /** Counts the writes of `progress`, so that two of them cannot cross. */
  readonly revision?: number;
}

interface PurgeKey {
  readonly propertyId: string;
  readonly id: string;
}

const keyOf = ({ propertyId, id }: PurgeKey): PurgeKey => ({ propertyId, id });

/** Values have an item of their own, so that history and progress never read or write them. */
const valuesKeyOf = ({ propertyId, id }: PurgeKey): PurgeKey => ({ propertyId: `${propertyId}#values`, id });

const isConditionFailure = (error: unknown): boolean => error instanceof ConditionalCheckFailedException;

export const toRecord = ({ progress, ...item }: PurgeItem): PurgeRecord => ({
  ...item,
  ...(progress && { progress: decodeProgress(progress) }),
});

const putRecord = async ({ hostnames: _, values: __, ...purge }: AcceptedPurge): Promise<void> => {
  const item: PurgeItem = { ...purge, expiresAt: keepUntil(purge.createdAt) };
  await dynamodb()
    .send(
      new PutCommand({
        TableName: tableName('purges'),
        Item: item,
        ConditionExpression: 'attribute_not_exists(id)',
      }),
    )
    .catch((error: unknown) => {
      if (!isConditionFailure(error)) throw error;
    });
};

const putValues = async (purge: AcceptedPurge): Promise<void> => {
  if (purge.values.length === 0) return;
  const deflated = deflateRawSync(JSON.stringify(purge.values));
  const Item = { ...valuesKeyOf(purge), deflated, expiresAt: keepUntil(purge.createdAt) };
  await dynamodb().send(new PutCommand({ TableName: tableName('purges'), Item }));
};

/** Makes the purge's record and its values, or leaves them as they are: handler and consumer may both do it. */
export const recordPurge = async (purge: AcceptedPurge): Promise<void> => {
  await Promise.all([putRecord(purge), putValues(purge)]);
};

/** Takes back the record of a purge that could not be queued; one that runs all the same keeps its values. */
export const forgetPurge = async (purge: AcceptedPurge): Promise<void> => {
  const remove = (Key: PurgeKey) =>
    dynamodb().send(
      new DeleteCommand({
        TableName: tableName('purges'),
        Key,
        ConditionExpression: 'attribute_not_exists(startedAt)',
      }),
    );
  await remove(keyOf(purge));
  await remove(valuesKeyOf(purge));
};

/** Progress as it stands, and which write of it that was. */
export interface StoredProgress {
  readonly progress: Progress;
  readonly revision: number;
}

const markStarted = async (purge: AcceptedPurge, pending: Progress, now: Date): Promise<StoredProgress> => {
  const { Attributes } = await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('purges'),
      Key: keyOf(purge),
      UpdateExpression:
        'SET startedAt = if_not_exists(startedAt, :now), progress = if_not_exists(progress, :pending), revision = if_not_exists(revision, :zero)',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeValues: {
        ':now': now.toISOString(),
        ':pending': encodeProgress(pending),
        ':zero': 0,
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
  const { progress, revision = 0 } = Attributes as PurgeItem;
  return { progress: progress ? decodeProgress(progress) : {}, revision };
};

/**
 * Marks a purge as running on the given edges, unless an earlier delivery of its message did; a message whose
 * record is missing makes it.
 */
export const startPurge = async (
  purge: AcceptedPurge,
  pending: Progress,
  now: Date,
): Promise<StoredProgress> => {
  try {
    return await markStarted(purge, pending, now);
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    await recordPurge(purge);
    return markStarted(purge, pending, now);
  }
};

const writeProgress = async (purge: AcceptedPurge, { progress, revision }: StoredProgress): Promise<void> => {
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('purges'),
      Key: keyOf(purge),
      UpdateExpression: 'SET progress = :progress, revision = :next',
      ConditionExpression: 'revision = :revision',
      ExpressionAttributeValues: {
        ':progress': encodeProgress(progress),
        ':revision': revision,
        ':next': revision + 1,
      },
    }),
  );
};

/**
 * Notes what edges answered.
 * @param before the progress on which `latest` builds; when another delivery wrote meanwhile, both are kept
 */
export const saveProgress = async (
  purge: AcceptedPurge,
  before: StoredProgress,
  latest: Progress,
): Promise<void> => {
  try {
    await writeProgress(purge, { progress: latest, revision: before.revision });
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    const stored = await startPurge(purge, latest, new Date());
    await saveProgress(purge, stored, mergeProgress(stored.progress, latest));
  }
};

/** @returns undefined for a purge that does not exist or has expired */
export const getPurgeRecord = async (
  propertyId: string,
  id: string,
  now: Date,
): Promise<PurgeRecord | undefined> => {
  if (!isId(id)) return undefined;
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('purges'), Key: { propertyId, id }, ConsistentRead: true }),
  );
  const item = Item as PurgeItem | undefined;
  return item && item.expiresAt * 1000 > now.getTime() ? toRecord(item) : undefined;
};

export const getPurgeValues = async (propertyId: string, id: string): Promise<readonly string[]> => {
  if (!isId(id)) return [];
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: tableName('purges'),
      Key: valuesKeyOf({ propertyId, id }),
      ConsistentRead: true,
    }),
  );
  const deflated = Item?.deflated;
  return deflated instanceof Uint8Array ? JSON.parse(inflateRawSync(deflated).toString('utf8')) : [];
};

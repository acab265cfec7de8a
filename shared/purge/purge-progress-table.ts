import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { untilWritten } from '../aws/contention.ts';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { inParallel } from '../ground/parallel.ts';
import { decodeProgress, encodeProgress, type Progress } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import { countPurge } from './purge-count-table.ts';
import { isConditionFailure, type PurgeItem, type PurgeKey, recordPurge } from './purge-table.ts';
import { shuffled } from './shuffled.ts';

/** Progress as it stands, and which write of it that was, so that two of them cannot cross. */
export interface StoredProgress {
  readonly progress: Progress;
  readonly revision: number;
}

const concurrentWrites = 16;

export function toStored({
  progress,
  revision = 0,
}: Pick<PurgeItem, 'progress' | 'revision'>): StoredProgress {
  return {
    progress: progress ? decodeProgress(progress) : {},
    revision,
  };
}

/**
 * Marks a purge as running on the given edges, unless an earlier delivery of its message did; a message whose
 * record is missing makes it.
 */
export async function startPurge(
  purge: AcceptedPurge,
  pending: Progress,
  now: Date,
): Promise<StoredProgress> {
  try {
    return await markStarted(purge, pending, now);
  } catch (error) {
    if (!isConditionFailure(error)) throw error;
    if (await recordPurge(purge)) await countPurge(purge, 1);
    return markStarted(purge, pending, now);
  }
}

/**
 * Notes in one write that a purge was taken up and what its edges answered.
 * @returns false where it was taken up before, or has no record
 */
export async function putFirstProgress(key: PurgeKey, progress: Progress, now: Date): Promise<boolean> {
  try {
    await dynamodb().send(
      new UpdateCommand({
        ...keyOf(key),
        UpdateExpression: 'SET startedAt = :now, progress = :progress, revision = :one',
        ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(progress)',
        ExpressionAttributeValues: {
          ':now': now.toISOString(),
          ':progress': encodeProgress(progress),
          ':one': 1,
        },
      }),
    );
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

/**
 * Notes what edges answered: one write, and more only where others write at the same time. A purge that has
 * expired is left alone.
 * @param before the progress as last read
 * @param change is applied to whatever progress is stored by then
 */
export async function changeProgress(
  key: PurgeKey,
  before: StoredProgress,
  change: (progress: Progress) => Progress,
): Promise<void> {
  let stored: StoredProgress | undefined = before;
  await untilWritten(async () => {
    if (!stored) return true;
    if (await write(key, { progress: change(stored.progress), revision: stored.revision })) return true;
    stored = await read(key);
    return undefined;
  });
}

/** Notes the same of many purges, in another order each time, so that edges which catch up together do not write in step. */
export async function changeAll(
  purges: readonly (PurgeKey & StoredProgress)[],
  change: (progress: Progress) => Progress,
): Promise<void> {
  await inParallel(shuffled(purges), concurrentWrites, (purge) => changeProgress(purge, purge, change));
}

async function markStarted(purge: AcceptedPurge, pending: Progress, now: Date): Promise<StoredProgress> {
  const { Attributes } = await dynamodb().send(
    new UpdateCommand({
      ...keyOf(purge),
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
  return toStored(Attributes as PurgeItem);
}

function keyOf({ propertyId, id }: PurgeKey) {
  return {
    TableName: tableName('purges'),
    Key: { propertyId, id },
  };
}

/** @returns whether nobody else had written meanwhile */
async function write(key: PurgeKey, { progress, revision }: StoredProgress): Promise<boolean> {
  try {
    await dynamodb().send(
      new UpdateCommand({
        ...keyOf(key),
        UpdateExpression: 'SET progress = :progress, revision = :next',
        ConditionExpression: 'revision = :revision',
        ExpressionAttributeValues: {
          ':progress': encodeProgress(progress),
          ':revision': revision,
          ':next': revision + 1,
        },
      }),
    );
    return true;
  } catch (error) {
    if (isConditionFailure(error)) return false;
    throw error;
  }
}

async function read(key: PurgeKey): Promise<StoredProgress | undefined> {
  const { Item } = await dynamodb().send(new GetCommand({ ...keyOf(key), ConsistentRead: true }));
  return Item && toStored(Item as PurgeItem);
}

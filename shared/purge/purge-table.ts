import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import type { AcceptedPurge } from './purge.ts';
import type { EdgeProgress, PurgeItem } from './purge-record.ts';

const keptSeconds = 30 * 24 * 3600;

const keyOf = ({ propertyId, id }: { readonly propertyId: string; readonly id: string }) => ({
  propertyId,
  id,
});

/** Values have an item of their own, so that history and progress never read or write them. */
const valuesKeyOf = ({ propertyId, id }: { readonly propertyId: string; readonly id: string }) => ({
  propertyId: `${propertyId}#values`,
  id,
});

const expiryOf = ({ createdAt }: AcceptedPurge): number =>
  Math.floor(Date.parse(createdAt) / 1000) + keptSeconds;

const isConditionFailure = (error: unknown): boolean => error instanceof ConditionalCheckFailedException;

const putRecord = async ({ hostnames: _, values: __, ...purge }: AcceptedPurge, expiresAt: number) => {
  const item: PurgeItem = { ...purge, expiresAt };
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

const putValues = async (purge: AcceptedPurge, expiresAt: number): Promise<void> => {
  if (purge.values.length === 0) return;
  const deflated = deflateRawSync(JSON.stringify(purge.values));
  await dynamodb().send(
    new PutCommand({ TableName: tableName('purges'), Item: { ...valuesKeyOf(purge), deflated, expiresAt } }),
  );
};

/** Makes the purge's record and its values, or leaves them as they are: handler and consumer may both do it. */
export const recordPurge = async (purge: AcceptedPurge): Promise<void> => {
  const expiresAt = expiryOf(purge);
  await Promise.all([putRecord(purge, expiresAt), putValues(purge, expiresAt)]);
};

/** Takes back the record of a purge that could not be queued. */
export const forgetPurge = async (purge: AcceptedPurge): Promise<void> => {
  const remove = (Key: Record<string, string>) =>
    dynamodb().send(
      new DeleteCommand({
        TableName: tableName('purges'),
        Key,
        ConditionExpression: 'attribute_not_exists(startedAt)',
      }),
    );
  await Promise.all([remove(keyOf(purge)), remove(valuesKeyOf(purge))]);
};

const markStarted = async (
  purge: AcceptedPurge,
  pending: Readonly<Record<string, EdgeProgress>>,
  now: Date,
): Promise<PurgeItem> => {
  const { Attributes } = await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('purges'),
      Key: keyOf(purge),
      UpdateExpression:
        'SET startedAt = if_not_exists(startedAt, :now), edges = if_not_exists(edges, :edges)',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeValues: { ':now': now.toISOString(), ':edges': pending },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes as PurgeItem;
};

/**
 * Marks a purge as running on the given edges, unless an earlier delivery of its message did; a message whose
 * record is missing makes it.
 * @returns the progress as it stands
 */
export const startPurge = async (
  purge: AcceptedPurge,
  pending: Readonly<Record<string, EdgeProgress>>,
  now: Date,
): Promise<Readonly<Record<string, EdgeProgress>>> => {
  const started = await markStarted(purge, pending, now).catch(async (error: unknown) => {
    if (!isConditionFailure(error)) throw error;
    await recordPurge(purge);
    return markStarted(purge, pending, now);
  });
  return started.edges ?? {};
};

/** Notes what edges answered; an edge that is no longer in service is taken out with `undefined`. */
export const saveProgress = async (
  purge: AcceptedPurge,
  progress: Readonly<Record<string, EdgeProgress | undefined>>,
): Promise<void> => {
  const entries = Object.entries(progress);
  if (entries.length === 0) return;
  const set = entries.flatMap(([, value], index) => (value ? [`edges.#${index} = :${index}`] : []));
  const remove = entries.flatMap(([, value], index) => (value ? [] : [`edges.#${index}`]));
  const clause = (word: string, parts: readonly string[]) =>
    parts.length > 0 ? `${word} ${parts.join(', ')} ` : '';
  const values = entries.flatMap(([, value], index) => (value ? [[`:${index}`, value]] : []));
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('purges'),
      Key: keyOf(purge),
      UpdateExpression: clause('SET', set) + clause('REMOVE', remove),
      ExpressionAttributeNames: Object.fromEntries(entries.map(([id], index) => [`#${index}`, id])),
      ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
    }),
  );
};

export const getPurgeItem = async (propertyId: string, id: string): Promise<PurgeItem | undefined> => {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('purges'), Key: { propertyId, id }, ConsistentRead: true }),
  );
  return Item as PurgeItem | undefined;
};

export const getPurgeValues = async (propertyId: string, id: string): Promise<readonly string[]> => {
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

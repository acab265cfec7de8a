import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { isThrottled } from '../aws/unavailable.ts';

/** What authentication reads and writes of a key; the name and dates to show live with the account's keys. */
export interface ApiKeyItem {
  readonly hash: string;
  readonly id: string;
  readonly accountId: string;
  readonly prefix: string;
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
  /** Set while the whole account is disabled. */
  readonly accountDisabledAt?: string;
}

/** The second last written for each key by this process: the item takes 1,000 writes a second, not more. */
const writtenSeconds = new Map<string, string>();
const rememberedKeys = 10_000;

/** Why a key that is stored does not authenticate. */
export type UnusableKey = 'unknown' | 'revoked' | 'accountDisabled';

/**
 * Finds a key by its hash and notes its use: check, revocation and last use in one write unit, or one read
 * unit when this process has noted the same second already. Throttled writes never refuse a good key.
 */
export async function useApiKey(hash: string, now: Date): Promise<ApiKeyItem | UnusableKey> {
  const second = secondOf(now);
  if (writtenSeconds.get(hash) === second) return readUsable(hash);
  try {
    const item = await touch(hash, second);
    remember(hash, second);
    return item;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return unusable(error.Item);
    if (isThrottled(error)) return readUsable(hash);
    throw error;
  }
}

function secondOf(now: Date): string {
  return `${now.toISOString().slice(0, 19)}.000Z`;
}

async function readUsable(hash: string): Promise<ApiKeyItem | UnusableKey> {
  const item = await read(hash);
  if (!item) return 'unknown';
  if (item.revokedAt) return 'revoked';
  return item.accountDisabledAt ? 'accountDisabled' : item;
}

async function read(hash: string): Promise<ApiKeyItem | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('apiKeys'), Key: { hash }, ConsistentRead: true }),
  );
  return Item as ApiKeyItem | undefined;
}

async function touch(hash: string, lastUsedAt: string): Promise<ApiKeyItem> {
  const { Attributes } = await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('apiKeys'),
      Key: { hash },
      UpdateExpression: 'SET lastUsedAt = :now',
      ConditionExpression:
        'attribute_exists(#hash) AND attribute_not_exists(revokedAt) AND attribute_not_exists(accountDisabledAt)',
      ExpressionAttributeNames: { '#hash': 'hash' },
      ExpressionAttributeValues: { ':now': lastUsedAt },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
  return Attributes as ApiKeyItem;
}

function remember(hash: string, second: string): void {
  if (writtenSeconds.size >= rememberedKeys) writtenSeconds.clear();
  writtenSeconds.set(hash, second);
}

function unusable(stored: Readonly<Record<string, unknown>> | undefined): UnusableKey {
  if (!stored) return 'unknown';
  return stored.revokedAt ? 'revoked' : 'accountDisabled';
}

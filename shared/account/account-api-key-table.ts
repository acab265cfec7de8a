import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../auth/api-key.ts';
import type { ApiKeyItem } from '../auth/api-key-table.ts';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryAll, queryPage } from '../aws/read.ts';
import { changeTotal, newestFirst, readTotal } from '../aws/total.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { isId, newId } from '../ground/id.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { whileActive } from './account-table.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

/** What an account knows of its key; never the raw key, which exists only in the answer that made it. */
export interface AccountApiKeyItem {
  readonly accountId: string;
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
}

/** @throws ApiError `notFound` for an account that is not there or not active */
export async function createApiKey(accountId: string, name: string, now = new Date()): Promise<NewApiKey> {
  const key = generateApiKey();
  const hash = hashApiKey(key);
  const record: AccountApiKeyItem = {
    accountId,
    id: newId(now),
    hash,
    name,
    prefix: apiKeyPrefix(key),
    createdAt: now.toISOString(),
  };
  const login: ApiKeyItem = { hash, id: record.id, accountId, prefix: record.prefix };
  const refused = await transact([
    whileActive(accountId),
    {
      Put: {
        TableName: tableName('apiKeys'),
        Item: login,
        ConditionExpression: 'attribute_not_exists(#hash)',
        ExpressionAttributeNames: { '#hash': 'hash' },
      },
    },
    { Put: { TableName: tableName('accountApiKeys'), Item: record } },
    changeTotal('accountApiKeys', accountId, 1),
  ]);
  if (refused) throw new ApiError('notFound', 'Account not found.');
  const { id, prefix, createdAt } = record;
  return { id, name, prefix, createdAt, key };
}

/** Ends a key for good before it answers; a second call changes nothing. */
export async function revokeApiKey(
  accountId: string,
  id: string,
  now = new Date(),
): Promise<{ readonly id: string; readonly revokedAt: string }> {
  const record = isId(id) ? await findRecord(accountId, id) : undefined;
  if (!record) throw new ApiError('notFound', 'API key not found.');
  const { hash, revokedAt } = record;
  if (revokedAt) return { id, revokedAt };
  const revoke = (TableName: string, Key: Record<string, string>) => ({
    Update: {
      TableName,
      Key,
      UpdateExpression: 'SET revokedAt = :now',
      ConditionExpression: 'attribute_not_exists(revokedAt)',
      ExpressionAttributeValues: { ':now': now.toISOString() },
    },
  });
  const refused = await transact([
    revoke(tableName('apiKeys'), { hash }),
    revoke(tableName('accountApiKeys'), { accountId, id }),
  ]);
  return refused ? revokeApiKey(accountId, id, now) : { id, revokedAt: now.toISOString() };
}

/** A page of an account's keys, revoked ones too, newest first, with when each last authenticated. */
export async function listApiKeys(accountId: string, page: PageQuery): Promise<Page<ApiKey>> {
  const [items, totalRecords] = await Promise.all([
    queryPage(newestFirst('accountApiKeys', accountId), page),
    readTotal('accountApiKeys', accountId),
  ]);
  return { items: await toApiKeys(records(items)), ...page, totalRecords };
}

/** All of an account's keys as they are stored. */
export async function allApiKeys(accountId: string): Promise<readonly AccountApiKeyItem[]> {
  return records(await queryAll(newestFirst('accountApiKeys', accountId)));
}

/** All of an account's keys, newest first, for the operator. */
export async function listAllApiKeys(accountId: string): Promise<readonly ApiKey[]> {
  return toApiKeys(await allApiKeys(accountId));
}

async function findRecord(accountId: string, id: string): Promise<AccountApiKeyItem | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('accountApiKeys'), Key: { accountId, id }, ConsistentRead: true }),
  );
  return Item as AccountApiKeyItem | undefined;
}

async function toApiKeys(records: readonly AccountApiKeyItem[]): Promise<readonly ApiKey[]> {
  const lastUsedAt = await lastUses(records.map(({ hash }) => hash));
  return records.map(({ id, name, prefix, createdAt, revokedAt, hash }) => ({
    id,
    name,
    prefix,
    createdAt,
    lastUsedAt: lastUsedAt.get(hash) ?? null,
    revokedAt: revokedAt ?? null,
  }));
}

function records(items: readonly unknown[]): readonly AccountApiKeyItem[] {
  return items as readonly AccountApiKeyItem[];
}

async function lastUses(hashes: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
  const TableName = tableName('apiKeys');
  const found = new Map<string, string | undefined>();
  let keys = hashes.map((hash) => ({ hash }));
  while (keys.length > 0) {
    const { Responses, UnprocessedKeys } = await dynamodb().send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: keys.slice(0, 100), ConsistentRead: true } },
      }),
    );
    for (const item of (Responses?.[TableName] ?? []) as ApiKeyItem[]) found.set(item.hash, item.lastUsedAt);
    keys = [...((UnprocessedKeys?.[TableName]?.Keys ?? []) as { hash: string }[]), ...keys.slice(100)];
  }
  return found;
}

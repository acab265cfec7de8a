import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../../../shared/aws/dynamodb.ts';
import { newId } from '../../../shared/ground/id.ts';
import { shardedKey } from '../../../shared/purge/purge-shards.ts';
import { getPurgeItem, recordPurge } from '../../../shared/purge/purge-table.ts';
import { acceptedPurge } from '../../support/accepted-purge.ts';
import { ApiClient } from '../../support/api-client.ts';
import type { Demo } from '../../support/program.ts';
import { putAll } from '../../support/put-all.ts';

/** Asks the API, and takes no refusal. */
export async function ask({ baseUrl, apiKey }: Demo, path: string, body?: object): Promise<void> {
  const api = new ApiClient(baseUrl, apiKey);
  const { status, text } = await (body ? api.post(path, body) : api.get(path));
  if (status !== 200) throw new Error(text);
}

/** Properties of the demo's account as creates would have left them, with their total. */
export async function seedProperties(demo: Demo, count: number): Promise<void> {
  const { baseUrl, apiKey, accountId, propertyId } = demo;
  const example = (await new ApiClient(baseUrl, apiKey).get(`/api/property/${propertyId}`)).data;
  await putAll(
    'properties',
    Array.from({ length: count }, () => ({ ...example, accountId, id: newId() })),
  );
  await addToTotal('properties', accountId, count);
}

/** API keys of the demo's account as the list has them, with their total. */
export async function seedApiKeys({ accountId }: Demo, count: number): Promise<void> {
  const createdAt = new Date().toISOString();
  const keys = Array.from({ length: count }, () => ({
    accountId,
    id: newId(),
    hash: newId(),
    name: 'Seeded',
    prefix: 'svc_SEED',
    createdAt,
  }));
  await putAll('accountApiKeys', keys);
  await addToTotal('accountApiKeys', accountId, count);
}

/** Purges of the demo's property, each as the first is stored. */
export async function seedPurges(demo: Demo, count: number): Promise<void> {
  const purge = acceptedPurge(demo, ['/']);
  await recordPurge(purge);
  const item = await getPurgeItem(purge, new Date());
  const keys = Array.from({ length: count }, () => shardedKey({ propertyId: demo.propertyId, id: newId() }));
  await putAll(
    'purges',
    keys.map((key) => ({ ...item, ...key })),
  );
}

async function addToTotal(
  name: 'properties' | 'accountApiKeys',
  accountId: string,
  count: number,
): Promise<void> {
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName(name),
      Key: { accountId, id: '#total' },
      UpdateExpression: 'ADD #total :count',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':count': count },
    }),
  );
}

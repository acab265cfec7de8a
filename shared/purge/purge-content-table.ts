import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { isId } from '../ground/id.ts';
import type { AcceptedPurge } from './purge.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeKey } from './purge-table.ts';

/** What is purged: written once, never changed, apart from the record that history and progress read and write. */
export type PurgeContent = Pick<AcceptedPurge, 'hostnames' | 'values'>;

const texts = z.array(z.string());

export async function putContent(purge: AcceptedPurge): Promise<void> {
  const deflated = deflateRawSync(JSON.stringify(purge.values));
  const Item = {
    ...keyOf(purge),
    deflated,
    hostnames: purge.hostnames,
    expiresAt: keepUntil(purge.createdAt),
  };
  await dynamodb().send(new PutCommand({ TableName: tableName('purges'), Item }));
}

export async function deleteContent(key: PurgeKey): Promise<void> {
  await dynamodb().send(new DeleteCommand({ TableName: tableName('purges'), Key: keyOf(key) }));
}

/** @returns undefined for a purge that does not exist */
export async function getContent(key: PurgeKey): Promise<PurgeContent | undefined> {
  const { deflated, hostnames } = await read(key, 'deflated, hostnames');
  if (!(deflated instanceof Uint8Array)) return undefined;
  const values: unknown = JSON.parse(inflateRawSync(deflated).toString('utf8'));
  return { values: texts.parse(values), hostnames: texts.parse(hostnames) };
}

/** On which host names it purges; none for a purge that does not exist. */
export async function getHostnames(key: PurgeKey): Promise<readonly string[]> {
  const { hostnames } = await read(key, 'hostnames');
  return hostnames === undefined ? [] : texts.parse(hostnames);
}

function keyOf({ propertyId, id }: PurgeKey): PurgeKey {
  return { propertyId: `${propertyId}#content`, id };
}

async function read(key: PurgeKey, ProjectionExpression: string): Promise<Record<string, unknown>> {
  if (!isId(key.id)) return {};
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: tableName('purges'),
      Key: keyOf(key),
      ConsistentRead: true,
      ProjectionExpression,
    }),
  );
  return Item ?? {};
}

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { isId } from '../id.ts';
import type { AcceptedPurge } from './purge.ts';
import { keepUntil } from './purge-count-table.ts';
import type { PurgeKey } from './purge-table.ts';

/** What is purged: written once, never changed, apart from the record that history and progress read and write. */
export type PurgeContent = Pick<AcceptedPurge, 'hostnames' | 'values'>;

const keyOf = ({ propertyId, id }: PurgeKey): PurgeKey => ({ propertyId: `${propertyId}#content`, id });

export const putContent = async (purge: AcceptedPurge): Promise<void> => {
  const content: PurgeContent = { hostnames: purge.hostnames, values: purge.values };
  const deflated = deflateRawSync(JSON.stringify(content));
  const Item = { ...keyOf(purge), deflated, expiresAt: keepUntil(purge.createdAt) };
  await dynamodb().send(new PutCommand({ TableName: tableName('purges'), Item }));
};

export const deleteContent = async (key: PurgeKey): Promise<void> => {
  await dynamodb().send(new DeleteCommand({ TableName: tableName('purges'), Key: keyOf(key) }));
};

/** @returns undefined for a purge that does not exist */
export const getContent = async (key: PurgeKey): Promise<PurgeContent | undefined> => {
  if (!isId(key.id)) return undefined;
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('purges'), Key: keyOf(key), ConsistentRead: true }),
  );
  const deflated: unknown = Item?.deflated;
  return deflated instanceof Uint8Array ? JSON.parse(inflateRawSync(deflated).toString('utf8')) : undefined;
};

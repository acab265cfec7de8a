import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../ground/api-error.ts';
import type { TableName } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import type { Keyed, KeyOf, Table } from './table.ts';
import { physicalName } from './table-input.ts';

const readSize = 100;
const writeSize = 25;
const attempts = 6;
const firstDelayMilliseconds = 20;

/** The items of many keys, read consistently and in any order; those that do not exist are left out. */
export async function getItems<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  keys: readonly KeyOf<Name, Item>[],
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let start = 0; start < keys.length; start += readSize)
    found.push(...(await readBatch(from, keys.slice(start, start + readSize))));
  return found;
}

/** Deletes the items of many keys. */
export async function deleteItems<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  keys: readonly KeyOf<Name, Item>[],
): Promise<void> {
  for (let start = 0; start < keys.length; start += writeSize) {
    const requests = keys
      .slice(start, start + writeSize)
      .map((key) => ({ DeleteRequest: { Key: { ...key } } }));
    await untilProcessed(requests, async (rest) => {
      const { UnprocessedItems } = await dynamodb().send(
        new BatchWriteCommand({ RequestItems: { [physicalName(from.name)]: [...rest] } }),
      );
      return (UnprocessedItems?.[physicalName(from.name)] ?? []) as typeof requests;
    });
  }
}

async function readBatch<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  keys: readonly KeyOf<Name, Item>[],
): Promise<readonly Item[]> {
  const name = physicalName(from.name);
  const found: Item[] = [];
  await untilProcessed(
    keys.map((key) => ({ ...key })),
    async (Keys: readonly Record<string, unknown>[]) => {
      const { Responses, UnprocessedKeys } = await dynamodb().send(
        new BatchGetCommand({ RequestItems: { [name]: { Keys: [...Keys], ConsistentRead: true } } }),
      );
      found.push(...((Responses?.[name] ?? []) as Item[]));
      return UnprocessedKeys?.[name]?.Keys ?? [];
    },
  );
  return found;
}

/** What DynamoDB did not get to under load is asked for again. @throws ApiError `unavailable` */
async function untilProcessed<Request>(
  requests: readonly Request[],
  send: (rest: readonly Request[]) => Promise<readonly Request[]>,
): Promise<void> {
  let rest = requests;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    rest = await send(rest);
    if (rest.length === 0) return;
    await sleep(Math.random() * firstDelayMilliseconds * 2 ** attempt);
  }
  throw unavailable(new Error(`DynamoDB left ${rest.length} items of a batch unprocessed`));
}

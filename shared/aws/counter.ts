import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { physicalName, updateInput } from './table-input.ts';
import type { Step } from './transaction.ts';

/** Tables of which an owner's exact number of records is kept, in an item of its own beside the records. */
type CountedTable = { readonly name: 'accountApiKeys' | 'properties' };

/** Under which the item is kept: no record's id. */
export const counterId = '#total';

/** Sorts after the counter and before every id, so that a query for records passes the counter by. */
const beforeIds = '/';

/** Goes into the transaction that makes or removes a record. */
export function countStep(table: CountedTable, owner: string, difference: 1 | -1): Step {
  return {
    Update: updateInput<{ total: number }>(table, keyOf(table, owner), { add: { total: difference } }),
  };
}

export async function readCount(table: CountedTable, owner: string): Promise<number> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: physicalName(table.name), Key: keyOf(table, owner), ConsistentRead: true }),
  );
  return Number(Item?.total ?? 0);
}

/** The records of an owner, newest first, without their counter. */
export function newestFirst(owner: string) {
  return { partition: owner, from: beforeIds, isDescending: true } as const;
}

function keyOf({ name }: CountedTable, owner: string): Record<string, string> {
  return { [tables[name].partitionKey]: owner, id: counterId };
}

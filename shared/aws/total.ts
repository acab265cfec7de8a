import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../ground/resources.ts';
import { dynamodb, tableName } from './dynamodb.ts';
import type { TransactionItems } from './transaction.ts';

/** An owner's exact number of records in a table, kept beside them in the table itself. */
const totalId = '#total';

/** Sorts after the total and before every id, so that a query for records passes the total by. */
const beforeIds = '/';

export function totalKey(table: TableName, owner: string) {
  return {
    [tables[table].partitionKey]: owner,
    id: totalId,
  };
}

/** Goes into the transaction that makes or removes a record. */
export function changeTotal(table: TableName, owner: string, difference: 1 | -1): TransactionItems[number] {
  return {
    Update: {
      TableName: tableName(table),
      Key: totalKey(table, owner),
      UpdateExpression: 'ADD #total :difference',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':difference': difference },
    },
  };
}

export async function readTotal(table: TableName, owner: string): Promise<number> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName(table), Key: totalKey(table, owner), ConsistentRead: true }),
  );
  return Number(Item?.total ?? 0);
}

/** The records of an owner, newest first. */
export function newestFirst(table: TableName, owner: string) {
  return {
    TableName: tableName(table),
    KeyConditionExpression: `${tables[table].partitionKey} = :owner AND id > :lowest`,
    ExpressionAttributeValues: { ':owner': owner, ':lowest': beforeIds },
    ScanIndexForward: false,
  };
}

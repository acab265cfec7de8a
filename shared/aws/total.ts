import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../resources.ts';
import { dynamodb, tableName } from './dynamodb.ts';
import type { TransactionItems } from './transaction.ts';

/** An account's exact number of records in a table, kept beside them in the table itself. */
const totalId = '#total';

/** Sorts after the total and before every id, so that a query for records passes the total by. */
const beforeIds = '/';

/** Goes into the transaction that makes or removes a record. */
export const changeTotal = (
  table: TableName,
  accountId: string,
  difference: 1 | -1,
): TransactionItems[number] => ({
  Update: {
    TableName: tableName(table),
    Key: { accountId, id: totalId },
    UpdateExpression: 'ADD #total :difference',
    ExpressionAttributeNames: { '#total': 'total' },
    ExpressionAttributeValues: { ':difference': difference },
  },
});

export const readTotal = async (table: TableName, accountId: string): Promise<number> => {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName(table), Key: { accountId, id: totalId }, ConsistentRead: true }),
  );
  return Number(Item?.total ?? 0);
};

/** The records of an account, newest first. */
export const newestFirst = (table: TableName, accountId: string) => ({
  TableName: tableName(table),
  KeyConditionExpression: 'accountId = :account AND id > :lowest',
  ExpressionAttributeValues: { ':account': accountId, ':lowest': beforeIds },
  ScanIndexForward: false,
});

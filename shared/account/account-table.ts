import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { scanAll } from '../aws/read.ts';
import type { TransactionItems } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';

export interface AccountItem {
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly createdAt: string;
}

export async function createAccount(name: string, now = new Date()): Promise<AccountItem> {
  const item: AccountItem = { accountId: newId(now), name, status: 'active', createdAt: now.toISOString() };
  await dynamodb().send(
    new PutCommand({
      TableName: tableName('accounts'),
      Item: item,
      ConditionExpression: 'attribute_not_exists(accountId)',
    }),
  );
  return item;
}

export async function getAccount(accountId: string): Promise<AccountItem | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('accounts'), Key: { accountId }, ConsistentRead: true }),
  );
  return Item as AccountItem | undefined;
}

/** Goes into a transaction that makes a key or a user, so that none is made while the account is disabled. */
export function whileActive(accountId: string): TransactionItems[number] {
  return {
    ConditionCheck: {
      TableName: tableName('accounts'),
      Key: { accountId },
      ConditionExpression: '#status = :active',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':active': 'active' },
    },
  };
}

/** @throws ApiError `notFound` */
export async function requireAccount(accountId: string): Promise<AccountItem> {
  const account = await getAccount(accountId);
  if (!account) throw new ApiError('notFound', 'Account not found.');
  return account;
}

/** Every account, oldest first; for the operator only, since it reads the whole table. */
export async function listAccounts(): Promise<readonly AccountItem[]> {
  const accounts = (await scanAll({ TableName: tableName('accounts') })) as unknown as AccountItem[];
  return accounts.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

/** @throws ApiError `notFound` */
export async function setAccountStatus(
  accountId: string,
  status: AccountItem['status'],
): Promise<AccountItem> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({
        TableName: tableName('accounts'),
        Key: { accountId },
        UpdateExpression: 'SET #status = :status',
        ConditionExpression: 'attribute_exists(accountId)',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes as AccountItem;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new ApiError('notFound', 'Account not found.');
  }
}

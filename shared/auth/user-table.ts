import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { whileActive } from '../account/account-table.ts';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import type { User } from './user.ts';

/** One conditional change of a user's item, as its parts; `factor-use` and the changes below are made of it. */
export interface UserChange {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly deleteFrom?: Readonly<Record<string, ReadonlySet<string>>>;
  /** Ends all of the user's tokens. */
  readonly endTokens?: boolean;
  readonly conditions?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
}

/** @param username canonical */
export async function getUser(username: string): Promise<User | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('users'), Key: { username }, ConsistentRead: true }),
  );
  return Item as User | undefined;
}

/** @throws ApiError `notFound` for an account that is not there or not active, `conflict` for a taken name */
export async function createUser(
  accountId: string,
  username: string,
  passwordHash: string,
  now = new Date(),
): Promise<User> {
  const createdAt = now.toISOString();
  const user: User = {
    username,
    id: newId(now),
    accountId,
    passwordHash,
    status: 'active',
    generation: 1,
    createdAt,
  };
  const refused = await transact([
    whileActive(accountId),
    {
      Put: {
        TableName: tableName('users'),
        Item: user,
        ConditionExpression: 'attribute_not_exists(username)',
      },
    },
    { Put: { TableName: tableName('accountUsers'), Item: { accountId, username, createdAt } } },
  ]);
  if (refused?.failedConditions.includes(0)) throw new ApiError('notFound', 'Account not found.');
  if (refused) throw new ApiError('conflict', 'That user name is taken.');
  return user;
}

/** Canonical names of an account's users, in their order. */
export async function listUsernames(accountId: string): Promise<readonly string[]> {
  const items = await queryAll({
    TableName: tableName('accountUsers'),
    KeyConditionExpression: 'accountId = :account',
    ExpressionAttributeValues: { ':account': accountId },
  });
  return items.map(({ username }) => String(username));
}

/** The update of a user's item that makes all the changes, or none when one of their conditions fails. */
export function userUpdate(username: string, changes: readonly UserChange[]) {
  const set = changes.flatMap((change) => Object.entries(change.set ?? {}));
  const deleted = changes.flatMap((change) => Object.entries(change.deleteFrom ?? {}));
  const values = {
    ...Object.fromEntries(set.map(([name, value]) => [`:set_${name}`, value])),
    ...Object.fromEntries(deleted.map(([name, value]) => [`:delete_${name}`, value])),
    ...Object.assign({}, ...changes.map((change) => change.values ?? {})),
    ...(changes.some(({ endTokens }) => endTokens) && { ':one': 1 }),
  };
  const conditions = ['attribute_exists(username)', ...changes.flatMap((change) => change.conditions ?? [])];
  return {
    TableName: tableName('users'),
    Key: { username },
    UpdateExpression: [
      ...clause(
        'SET',
        set.map(([name]) => `#${name} = :set_${name}`),
      ),
      ...clause(
        'REMOVE',
        changes.flatMap((change) => (change.remove ?? []).map((name) => `#${name}`)),
      ),
      ...clause(
        'DELETE',
        deleted.map(([name]) => `#${name} :delete_${name}`),
      ),
      ...clause('ADD', changes.some(({ endTokens }) => endTokens) ? ['generation :one'] : []),
    ].join(' '),
    ConditionExpression: conditions.map((condition) => `(${condition})`).join(' AND '),
    ...namesIn([
      ...set.map(([name]) => name),
      ...deleted.map(([name]) => name),
      ...changes.flatMap(({ remove }) => remove ?? []),
    ]),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  } satisfies UpdateCommandInput;
}

/** @returns the user as changed; undefined when a condition failed, and then nothing was changed */
export async function changeUser(
  username: string,
  ...changes: readonly UserChange[]
): Promise<User | undefined> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({ ...userUpdate(username, changes), ReturnValues: 'ALL_NEW' }),
    );
    return Attributes as User;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

function clause(word: string, parts: readonly string[]): string[] {
  return parts.length > 0 ? [`${word} ${parts.join(', ')}`] : [];
}

function namesIn(names: readonly string[]) {
  return names.length > 0
    ? { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])) }
    : {};
}

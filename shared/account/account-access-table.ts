import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeUser, listUsernames } from '../auth/user-table.ts';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { allApiKeys } from './account-api-key-table.ts';
import { type AccountItem, setAccountStatus } from './account-table.ts';

/** No key or user of the account authenticates once this has answered; none can be made meanwhile. */
export async function disableAccount(accountId: string, now = new Date()): Promise<AccountItem> {
  const account = await setAccountStatus(accountId, 'disabled');
  await markAll(accountId, now.toISOString());
  return account;
}

export async function enableAccount(accountId: string): Promise<AccountItem> {
  await markAll(accountId, undefined);
  return setAccountStatus(accountId, 'active');
}

/** Marks each key and user, so that authentication reads one item only and needs no account. */
async function markAll(accountId: string, disabledAt: string | undefined): Promise<void> {
  const [keys, usernames] = await Promise.all([allApiKeys(accountId), listUsernames(accountId)]);
  await Promise.all([
    ...keys.map(({ hash }) => markKey(hash, disabledAt)),
    ...usernames.map((username) => markUser(username, disabledAt)),
  ]);
}

async function markKey(hash: string, disabledAt: string | undefined): Promise<void> {
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('apiKeys'),
      Key: { hash },
      ...(disabledAt === undefined
        ? { UpdateExpression: 'REMOVE accountDisabledAt' }
        : {
            UpdateExpression: 'SET accountDisabledAt = :now',
            ExpressionAttributeValues: { ':now': disabledAt },
          }),
    }),
  );
}

async function markUser(username: string, disabledAt: string | undefined): Promise<void> {
  await changeUser(
    username,
    disabledAt === undefined
      ? { remove: ['accountDisabledAt'] }
      : { set: { accountDisabledAt: disabledAt }, endTokens: true },
  );
}

import type { User } from '../auth/user.ts';
import { putUserStep } from '../auth/user-table.ts';
import { queryAll } from '../aws/query.ts';
import { table } from '../aws/table.ts';
import { putStep, transact } from '../aws/transaction.ts';
import { ApiError, notFound } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import { activeAccountStep } from './account-table.ts';

/** That an account has a user; all else is with the user. */
type AccountUserItem = Pick<User, 'accountId' | 'username' | 'createdAt'>;

const accountUsers = table<'accountUsers', AccountUserItem>('accountUsers');

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
    tokenVersion: 1,
    createdAt,
  };
  const refused = await transact([
    activeAccountStep(accountId),
    putUserStep(user),
    putStep(accountUsers, { accountId, username, createdAt }),
  ]);
  if (refused?.failedConditions.includes(0)) throw notFound('Account');
  if (refused) throw new ApiError('conflict', 'That user name is taken.');
  return user;
}

/** Canonical names of an account's users, in their order. */
export async function listUsernames(accountId: string): Promise<readonly string[]> {
  const items = await queryAll(accountUsers, { partition: accountId });
  return items.map(({ username }) => username);
}

import { markApiKey } from '../auth/api-key-table.ts';
import { changeUser, revokeTokens } from '../auth/user-table.ts';
import { allApiKeys } from './account-api-key-table.ts';
import { type AccountItem, setAccountStatus } from './account-table.ts';
import { listUsernames } from './account-user-table.ts';

/** Once this is done no key or user of the account authenticates; none can be made meanwhile. */
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
    ...keys.map(({ hash }) => markApiKey(hash, disabledAt)),
    ...usernames.map((username) => markUser(username, disabledAt)),
  ]);
}

async function markUser(username: string, accountDisabledAt: string | undefined): Promise<void> {
  const change = accountDisabledAt
    ? { set: { accountDisabledAt }, ...revokeTokens }
    : { remove: ['accountDisabledAt'] as const };
  await changeUser(username, change);
}

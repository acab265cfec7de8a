import { randomBytes } from 'node:crypto';
import { disableAccount } from '../../../shared/account/account-access.ts';
import { createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { createAccount, listAccounts, requireAccount } from '../../../shared/account/account-table.ts';
import { createUser } from '../../../shared/account/account-user-table.ts';
import type { NewApiKey } from '../../../shared/account/api-key.ts';
import { hashPassword } from '../../../shared/auth/password.ts';
import { changeUser, getUser } from '../../../shared/auth/user-table.ts';

/** Names of the doctor's own accounts: the one is always disabled, the other has no key but during an examination. */
const accountNames = { login: 'operator doctor: login', purge: 'operator doctor: purge' } as const;

const username = 'operator-doctor';

/**
 * A user of the account that is always disabled, made once. The password is a new one each time, and nobody keeps it.
 * @throws Error where an operator has given somebody else the user's name
 */
export async function disabledUser() {
  const password = randomBytes(24).toString('base64url');
  const passwordHash = await hashPassword(password);
  const known = await getUser(username);
  const accountId = known?.accountId ?? (await makeUser(passwordHash));
  const { name } = await requireAccount(accountId);
  if (name !== accountNames.login)
    throw new Error(
      `The user ${username} belongs to the account ${accountId}, not to the doctor: rename it.`,
    );
  await disableAccount(accountId);
  await changeUser(username, { set: { passwordHash } });
  return { username, password };
}

/** @returns the account's id */
async function makeUser(passwordHash: string): Promise<string> {
  const { accountId } = await createAccount(accountNames.login);
  await createUser(accountId, username, passwordHash);
  return accountId;
}

export type OwnKey = NewApiKey & { readonly accountId: string };

/** A key of the account that is never disabled, which is made once. */
export async function makeKey(): Promise<OwnKey> {
  const known = (await listAccounts()).find(({ name }) => name === accountNames.purge);
  const { accountId, status } = known ?? (await createAccount(accountNames.purge));
  if (status === 'disabled')
    throw new Error(`The doctor’s own account is disabled: operator account enable --account ${accountId}.`);
  return { accountId, ...(await createApiKey(accountId, 'operator doctor')) };
}

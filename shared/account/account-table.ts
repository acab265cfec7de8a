import { compare, present } from '../aws/expression.ts';
import { scanAll } from '../aws/scan.ts';
import { getItem, putItem, table, updateAndGet } from '../aws/table.ts';
import { checkStep, type Step } from '../aws/transaction.ts';
import { notFound } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';

export interface AccountItem {
  readonly accountId: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly createdAt: string;
}

export const getAccountTouches = { tables: { accounts: ['GetItem'] } } as const satisfies Touches;
export const activeAccountStepTouches = {
  tables: { accounts: ['ConditionCheckItem'] },
} as const satisfies Touches;

const accounts = table<'accounts', AccountItem>('accounts');

export async function createAccount(name: string, now = new Date()): Promise<AccountItem> {
  const account = { accountId: newId(now), name, status: 'active', createdAt: now.toISOString() } as const;
  await putItem(accounts, account);
  return account;
}

export function getAccount(accountId: string): Promise<AccountItem | undefined> {
  return getItem(accounts, { accountId });
}

/** @throws ApiError `notFound` */
export async function requireAccount(accountId: string): Promise<AccountItem> {
  const account = await getAccount(accountId);
  if (!account) throw notFound('Account');
  return account;
}

/** Goes into a transaction that makes a key or a user, so that none is made while the account is disabled. */
export function activeAccountStep(accountId: string): Step {
  return checkStep(accounts, { accountId }, compare('status', '=', 'active'));
}

/** Every account, oldest first; for the operator only, since it reads the whole table. */
export async function listAccounts(): Promise<readonly AccountItem[]> {
  return (await scanAll(accounts)).sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

/** @throws ApiError `notFound` */
export async function setAccountStatus(
  accountId: string,
  status: AccountItem['status'],
): Promise<AccountItem> {
  const updated = await updateAndGet(accounts, { accountId }, { set: { status } }, present('accountId'));
  if (!updated.isUpdated) throw notFound('Account');
  return updated.item;
}

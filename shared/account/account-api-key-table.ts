import { apiKeyPrefix, generateApiKey, hashApiKey } from '../auth/api-key.ts';
import {
  getApiKeys,
  getApiKeysTouches,
  putApiKeyStep,
  putApiKeyStepTouches,
  revokeApiKeyStep,
  revokeApiKeyStepTouches,
} from '../auth/api-key-table.ts';
import { countStep, newestFirst, readCount } from '../aws/counter.ts';
import { absent } from '../aws/expression.ts';
import { queryAll } from '../aws/query.ts';
import { queryPage } from '../aws/query-page.ts';
import { getItem, table } from '../aws/table.ts';
import { putStep, transact, updateStep } from '../aws/transaction.ts';
import { notFound } from '../ground/api-error.ts';
import { isId, newId } from '../ground/id.ts';
import { touching } from '../ground/touches.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { activeAccountStep, activeAccountStepTouches } from './account-table.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

/** What an account knows of its key; never the raw key, which exists only in the response that made it. */
interface AccountApiKeyItem {
  readonly accountId: string;
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
}

export const createApiKeyTouches = touching(activeAccountStepTouches, putApiKeyStepTouches, {
  tables: { accountApiKeys: ['PutItem', 'UpdateItem'] },
});
export const revokeApiKeyTouches = touching(revokeApiKeyStepTouches, {
  tables: { accountApiKeys: ['GetItem', 'UpdateItem'] },
});
export const listApiKeysTouches = touching(getApiKeysTouches, {
  tables: { accountApiKeys: ['GetItem', 'Query'] },
});

const accountApiKeys = table<'accountApiKeys', AccountApiKeyItem>('accountApiKeys');

/** @throws ApiError `notFound` for an account that is not there or not active */
export async function createApiKey(
  accountId: string,
  name: string,
  { symbols = true } = {},
): Promise<NewApiKey> {
  const now = new Date();
  const key = generateApiKey({ symbols });
  const hash = hashApiKey(key);
  const shown = { id: newId(now), name, prefix: apiKeyPrefix(key), createdAt: now.toISOString() };
  const refused = await transact([
    activeAccountStep(accountId),
    putApiKeyStep({ hash, id: shown.id, accountId, prefix: shown.prefix }),
    putStep(accountApiKeys, { ...shown, accountId, hash }),
    countStep(accountApiKeys, accountId, 1),
  ]);
  if (refused) throw notFound('Account');
  return { ...shown, key };
}

/** The key is revoked for good before this returns; a second call changes nothing. */
export async function revokeApiKey(
  accountId: string,
  id: string,
  now = new Date(),
): Promise<{ readonly id: string; readonly revokedAt: string }> {
  const item = isId(id) ? await getItem(accountApiKeys, { accountId, id }) : undefined;
  if (!item) throw notFound('API key');
  if (item.revokedAt) return { id, revokedAt: item.revokedAt };
  const revokedAt = now.toISOString();
  const refused = await transact([
    revokeApiKeyStep(item.hash, revokedAt),
    updateStep(accountApiKeys, { accountId, id }, { set: { revokedAt } }, absent('revokedAt')),
  ]);
  return refused ? revokeApiKey(accountId, id, now) : { id, revokedAt };
}

/** A page of an account's keys, revoked ones too, newest first, with when each last authenticated. */
export async function listApiKeys(accountId: string, page: PageQuery): Promise<Page<ApiKey>> {
  const [items, totalRecords] = await Promise.all([
    queryPage(accountApiKeys, newestFirst(accountId), page),
    readCount(accountApiKeys, accountId),
  ]);
  return { items: await toApiKeys(items), ...page, totalRecords };
}

/** All of an account's keys as they are stored. */
export function allApiKeys(accountId: string): Promise<readonly AccountApiKeyItem[]> {
  return queryAll(accountApiKeys, newestFirst(accountId));
}

/** All of an account's keys, newest first, for the operator. */
export async function listAllApiKeys(accountId: string): Promise<readonly ApiKey[]> {
  return toApiKeys(await allApiKeys(accountId));
}

async function toApiKeys(items: readonly AccountApiKeyItem[]): Promise<readonly ApiKey[]> {
  const keys = await getApiKeys(items.map(({ hash }) => hash));
  const lastUses = new Map(keys.map(({ hash, lastUsedAt }) => [hash, lastUsedAt]));
  return items.map(({ id, name, prefix, createdAt, revokedAt, hash }) => ({
    id,
    name,
    prefix,
    createdAt,
    lastUsedAt: lastUses.get(hash) ?? null,
    revokedAt: revokedAt ?? null,
  }));
}

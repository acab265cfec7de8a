import { getItems } from '../aws/batch.ts';
import { absent, allOf, present } from '../aws/expression.ts';
import { getItem, table, updateAndGet, updateItem } from '../aws/table.ts';
import { putStep, type Step, updateStep } from '../aws/transaction.ts';
import { isThrottled } from '../aws/unavailable.ts';
import type { Touches } from '../ground/resources.ts';

/** What authentication reads and writes of a key; the name and dates to show live with the account's keys. */
interface ApiKeyItem {
  readonly hash: string;
  readonly id: string;
  readonly accountId: string;
  readonly prefix: string;
  readonly lastUsedAt?: string;
  readonly revokedAt?: string;
  /** Set while the whole account is disabled. */
  readonly accountDisabledAt?: string;
}

/** Why a key does not authenticate. */
type UnusableKey = 'unknown' | 'revoked' | 'accountDisabled';

export const useApiKeyTouches = {
  tables: { apiKeys: ['GetItem', 'UpdateItem'] },
} as const satisfies Touches;
export const getApiKeysTouches = { tables: { apiKeys: ['BatchGetItem'] } } as const satisfies Touches;
export const putApiKeyStepTouches = { tables: { apiKeys: ['PutItem'] } } as const satisfies Touches;
export const revokeApiKeyStepTouches = { tables: { apiKeys: ['UpdateItem'] } } as const satisfies Touches;

const apiKeys = table<'apiKeys', ApiKeyItem>('apiKeys');

/** The second last written for each key by this process: the item takes 1,000 writes a second, not more. */
const writtenSeconds = new Map<string, string>();
const rememberedKeys = 10_000;

/**
 * Finds a key by its hash and notes its use: check, revocation and last use in one write unit, or one read
 * unit when this process has noted the same second already. Throttled writes never refuse a valid key.
 */
export async function useApiKey(hash: string, now: Date): Promise<ApiKeyItem | UnusableKey> {
  const second = `${now.toISOString().slice(0, 19)}.000Z`;
  if (writtenSeconds.get(hash) === second) return readUsable(hash);
  try {
    return await noteUse(hash, second);
  } catch (error) {
    if (isThrottled(error)) return readUsable(hash);
    throw error;
  }
}

/** The keys of those hashes, in any order. */
export function getApiKeys(hashes: readonly string[]): Promise<readonly ApiKeyItem[]> {
  return getItems(
    apiKeys,
    hashes.map((hash) => ({ hash })),
  );
}

/** Marks a key of an account that is disabled, or takes the mark away. */
export async function markApiKey(hash: string, accountDisabledAt: string | undefined): Promise<void> {
  const change = accountDisabledAt
    ? { set: { accountDisabledAt } }
    : { remove: ['accountDisabledAt'] as const };
  await updateItem(apiKeys, { hash }, change, present('hash'));
}

export function putApiKeyStep(item: ApiKeyItem): Step {
  return putStep(apiKeys, item, absent('hash'));
}

/** Refused where the key is revoked already. */
export function revokeApiKeyStep(hash: string, revokedAt: string): Step {
  return updateStep(apiKeys, { hash }, { set: { revokedAt } }, absent('revokedAt'));
}

async function readUsable(hash: string): Promise<ApiKeyItem | UnusableKey> {
  const item = await getItem(apiKeys, { hash });
  return item && isUsable(item) ? item : whyUnusable(Object.keys(item ?? {}));
}

function isUsable({ revokedAt, accountDisabledAt }: ApiKeyItem): boolean {
  return !revokedAt && !accountDisabledAt;
}

function whyUnusable(attributes: readonly string[]): UnusableKey {
  if (attributes.length === 0) return 'unknown';
  return attributes.includes('revokedAt') ? 'revoked' : 'accountDisabled';
}

async function noteUse(hash: string, lastUsedAt: string): Promise<ApiKeyItem | UnusableKey> {
  const usable = allOf(present('hash'), absent('revokedAt'), absent('accountDisabledAt'));
  const updated = await updateAndGet(apiKeys, { hash }, { set: { lastUsedAt } }, usable);
  if (!updated.isUpdated) return whyUnusable(updated.attributes);
  remember(hash, lastUsedAt);
  return updated.item;
}

function remember(hash: string, second: string): void {
  if (writtenSeconds.size >= rememberedKeys) writtenSeconds.clear();
  writtenSeconds.set(hash, second);
}

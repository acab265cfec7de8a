import type { MultiValueHeaders } from '../http/headers.ts';
import type { Touches } from '../resources.ts';
import { hashApiKey } from './api-key.ts';
import { useApiKey } from './api-key-table.ts';
import type { Caller } from './caller.ts';
import { readCredential } from './credential.ts';
import { refuse } from './refusal.ts';

/** What whoever authenticates must be allowed to do: the authorizer and the fallback. */
export const authenticationTouches = {
  tables: { apiKeys: ['GetItem', 'UpdateItem'] },
} as const satisfies Touches;

const authenticateApiKey = async (apiKey: string, now: Date): Promise<Caller> => {
  const item = await useApiKey(hashApiKey(apiKey), now);
  if (item === 'unknown') throw refuse('keyUnknown');
  if (item === 'revoked') throw refuse('keyRevoked');
  return { accountId: item.accountId, scheme: 'apiKey', apiKeyId: item.id, apiKeyPrefix: item.prefix };
};

/** @throws ApiError `unauthenticated` with a message from the closed list */
export const authenticate = async (headers: MultiValueHeaders | null, now = new Date()): Promise<Caller> => {
  const credential = readCredential(headers);
  if ('apiKey' in credential) return authenticateApiKey(credential.apiKey, now);
  throw refuse('tokenInvalid');
};

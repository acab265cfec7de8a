import type { Caller } from '../ground/caller.ts';
import { touching } from '../ground/touches.ts';
import type { MultiValueHeaders } from '../http/headers.ts';
import { keyIdOf, type TokenClaims, verifyAccessToken } from './access-token.ts';
import { hashApiKey } from './api-key.ts';
import { useApiKey, useApiKeyTouches } from './api-key-table.ts';
import { readCredential } from './credential.ts';
import { refuse } from './refusal.ts';
import { signingKey, signingKeyTouches } from './signing-keys.ts';
import { hasTwoFactor } from './user.ts';
import { getUser, getUserTouches } from './user-table.ts';

export const authenticateTouches = touching(useApiKeyTouches, getUserTouches, signingKeyTouches);

/** @throws ApiError `unauthenticated` with a message from the closed list */
export async function authenticate(headers: MultiValueHeaders | null, now = new Date()): Promise<Caller> {
  const credential = readCredential(headers);
  return 'apiKey' in credential
    ? authenticateApiKey(credential.apiKey, now)
    : authenticateToken(credential.accessToken, now);
}

async function authenticateApiKey(apiKey: string, now: Date): Promise<Caller> {
  const item = await useApiKey(hashApiKey(apiKey), now);
  if (item === 'unknown') throw refuse('keyUnknown');
  if (item === 'revoked') throw refuse('keyRevoked');
  if (item === 'accountDisabled') throw refuse('accountDisabled');
  return { scheme: 'apiKey', accountId: item.accountId, apiKeyId: item.id, apiKeyPrefix: item.prefix };
}

async function authenticateToken(token: string, now: Date): Promise<Caller> {
  const { sub, username, accountId, tokenVersion } = await verifiedClaims(token, now);
  const user = await getUser(username);
  if (user?.id !== sub || user.accountId !== accountId) throw refuse('tokenInvalid');
  if (user.accountDisabledAt) throw refuse('accountDisabled');
  if (user.status !== 'active') throw refuse('userDisabled');
  if (user.tokenVersion !== tokenVersion) throw refuse('tokenRevoked');
  return { scheme: 'bearer', accountId, username, twoFactorEnabled: hasTwoFactor(user) ? 'true' : 'false' };
}

async function verifiedClaims(token: string, now: Date): Promise<TokenClaims> {
  const keyId = keyIdOf(token);
  const key = keyId === undefined ? undefined : await signingKey(keyId);
  const claims = key && (await verifyAccessToken(token, key, now));
  if (!claims) throw refuse('tokenInvalid');
  return claims;
}

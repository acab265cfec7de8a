import { readSecret, type SecretVersion } from '../aws/secrets-manager.ts';
import type { Touches } from '../ground/resources.ts';
import type { SigningKey } from './access-token.ts';

/** Of signing and of verifying. */
export const signingKeyTouches = { secrets: { signingKey: ['GetSecretValue'] } } as const satisfies Touches;

const freshMilliseconds = 5 * 60_000;
const shortestRefetchMilliseconds = 60_000;

interface Keys {
  readonly current: SigningKey;
  readonly previous: SigningKey | undefined;
  readonly fetchedAt: number;
}

let fetched: Promise<Keys> | undefined;

/** The key with which new tokens are signed. */
export async function currentSigningKey(): Promise<SigningKey> {
  return (await keysNoOlderThan(freshMilliseconds)).current;
}

/** @returns the key of that id while it is in use; an unknown id makes the process look again, once a minute */
export async function signingKey(id: string): Promise<SigningKey | undefined> {
  return (
    find(await keysNoOlderThan(freshMilliseconds), id) ??
    find(await keysNoOlderThan(shortestRefetchMilliseconds), id)
  );
}

/** The process's keys, fetched again when they are older than that; a failed fetch is not kept. */
async function keysNoOlderThan(milliseconds: number): Promise<Keys> {
  const now = Date.now();
  const known = await fetched?.catch(() => undefined);
  if (known && now - known.fetchedAt < milliseconds) return known;
  const fetching = fetchKeys(now);
  fetched = fetching;
  return fetching;
}

async function fetchKeys(now: number): Promise<Keys> {
  const [current, previous] = await Promise.all([
    readSecret('signingKey', 'AWSCURRENT'),
    readSecret('signingKey', 'AWSPREVIOUS'),
  ]);
  if (!current) throw new Error('There is no signing key');
  return { current: toKey(current), previous: previous && toKey(previous), fetchedAt: now };
}

function toKey({ id, value }: SecretVersion): SigningKey {
  return { id, secret: new TextEncoder().encode(value) };
}

function find({ current, previous }: Keys, id: string): SigningKey | undefined {
  return [current, previous].find((key) => key?.id === id);
}

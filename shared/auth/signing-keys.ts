import { readSecret, type SecretVersion } from '../aws/secrets-manager.ts';
import type { SigningKey } from './access-token.ts';

const freshMilliseconds = 5 * 60_000;
const shortestRefetchMilliseconds = 60_000;

interface Keys {
  readonly current: SigningKey;
  readonly previous: SigningKey | undefined;
  readonly fetchedAt: number;
}

let fetched: Promise<Keys> | undefined;

const toKey = ({ id, value }: SecretVersion): SigningKey => ({ id, secret: new TextEncoder().encode(value) });

const fetchKeys = async (now: number): Promise<Keys> => {
  const [current, previous] = await Promise.all([
    readSecret('signingKey', 'AWSCURRENT'),
    readSecret('signingKey', 'AWSPREVIOUS'),
  ]);
  if (!current) throw new Error('There is no signing key');
  return { current: toKey(current), previous: previous && toKey(previous), fetchedAt: now };
};

/** The process's keys, fetched again when they are older than that; a failed fetch is not kept. */
const keysNoOlderThan = async (milliseconds: number): Promise<Keys> => {
  const now = Date.now();
  const known = await fetched?.catch(() => undefined);
  if (known && now - known.fetchedAt < milliseconds) return known;
  const fetching = fetchKeys(now);
  fetched = fetching;
  return fetching;
};

/** The key with which new tokens are signed. */
export const currentSigningKey = async (): Promise<SigningKey> =>
  (await keysNoOlderThan(freshMilliseconds)).current;

const find = ({ current, previous }: Keys, id: string): SigningKey | undefined =>
  [current, previous].find((key) => key?.id === id);

/** @returns the key of that id while it is alive; an unknown id makes the process look again, once a minute */
export const signingKey = async (id: string): Promise<SigningKey | undefined> =>
  find(await keysNoOlderThan(freshMilliseconds), id) ??
  find(await keysNoOlderThan(shortestRefetchMilliseconds), id);

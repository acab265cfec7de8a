import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * The purge protocol between the consumer and an edge: `PURGE /` with these headers, whose response is 200 and
 * `{"removed": n}`. The signature covers everything that decides what happens.
 */
export const headers = {
  time: 'x-purge-time',
  mode: 'x-purge-mode',
  keys: 'x-purge-keys',
  signature: 'x-purge-signature',
} as const;

/** `poll` tells an edge to ask the API for its configuration; its keys are a random id. */
export const modes = ['hard', 'soft', 'check', 'poll'] as const;
export type PurgeMode = (typeof modes)[number];

/** How far the edge's clock and the signature's may lie apart, either way. */
const freshSeconds = 60;

export interface PurgeCommand {
  /** Unix seconds. */
  readonly time: number;
  readonly mode: PurgeMode;
  /** Separated by single spaces. */
  readonly keys: string;
}

const keyObjects = new Map<string, KeyObject>();

/** Varnish responds 400 to more than 8 KB of headers. */
const maximumKeyBytes = 6_000;

export function sign(secret: string, { time, mode, keys }: PurgeCommand): string {
  return createHmac('sha256', keyOf(secret)).update(`${time} ${mode} ${keys}`).digest('hex');
}

/** Compares in constant time. */
export function verify(secret: string, command: PurgeCommand, signature: string): boolean {
  const expected = Buffer.from(sign(secret, command));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

export function isFresh(time: number, now: Date): boolean {
  return Math.abs(now.getTime() / 1000 - time) <= freshSeconds;
}

/**
 * Puts keys together into as few header values as fit, those of one tenant each: an edge then holds back the
 * fetches of that tenant only.
 */
export function batchKeys(keys: readonly string[]): readonly string[] {
  const batches: string[] = [];
  const open = new Map<string, string>();
  for (const key of keys) {
    const tenant = tenantOf(key);
    const batch = open.get(tenant);
    const isFull = batch !== undefined && batch.length + 1 + key.length > maximumKeyBytes;
    if (isFull) batches.push(batch);
    open.set(tenant, batch === undefined || isFull ? key : `${batch} ${key}`);
  }
  return [...batches, ...open.values()];
}

/** Made once for each secret: every purge is signed for every edge. */
function keyOf(secret: string): KeyObject {
  const known = keyObjects.get(secret);
  if (known) return known;
  const made = createSecretKey(secret, 'utf8');
  keyObjects.set(secret, made);
  return made;
}

/** Every key names its tenant behind its first slash. */
function tenantOf(key: string): string {
  return key.split('/')[1] ?? '';
}

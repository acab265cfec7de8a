import { createHash, randomBytes } from 'node:crypto';
import { allOf, compare, present } from '../aws/expression.ts';
import { putItem, table, updateAndGet } from '../aws/table.ts';
import { deleteStep, type Step } from '../aws/transaction.ts';
import type { Touches } from '../ground/resources.ts';
import type { User } from './user.ts';

const lifetimeSeconds = 5 * 60;
const maximumAttempts = 5;

/** An interim token, between password and second factor; only its hash is stored. */
interface LoginTokenItem {
  readonly hash: string;
  readonly username: string;
  /** Of the user's tokens when the password was given. */
  readonly tokenVersion: number;
  readonly attempts: number;
  /** Unix seconds. */
  readonly expiresAt: number;
}

type LoginAttempt = Pick<LoginTokenItem, 'username' | 'tokenVersion'>;

export const createLoginTokenTouches = { tables: { loginTokens: ['PutItem'] } } as const satisfies Touches;
export const countLoginAttemptTouches = {
  tables: { loginTokens: ['UpdateItem'] },
} as const satisfies Touches;
export const consumeLoginTokenStepTouches = {
  tables: { loginTokens: ['DeleteItem'] },
} as const satisfies Touches;

const loginTokens = table<'loginTokens', LoginTokenItem>('loginTokens');

export async function createLoginToken(
  { username, tokenVersion }: Pick<User, 'username' | 'tokenVersion'>,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = secondsOf(now) + lifetimeSeconds;
  await putItem(loginTokens, { hash: hashOf(token), username, tokenVersion, attempts: 0, expiresAt });
  return token;
}

/**
 * Counts an attempt before its code is looked at.
 * @returns undefined when the token is unknown, expired, used or out of attempts
 */
export async function countLoginAttempt(token: string, now: Date): Promise<LoginAttempt | undefined> {
  const isOpen = allOf(
    present('username'),
    compare('attempts', '<', maximumAttempts),
    compare('expiresAt', '>', secondsOf(now)),
  );
  const updated = await updateAndGet(loginTokens, { hash: hashOf(token) }, { add: { attempts: 1 } }, isOpen);
  return updated.isUpdated ? updated.item : undefined;
}

/** Goes into the transaction that accepts the token's code: one login for one token. */
export function consumeLoginTokenStep(token: string): Step {
  return deleteStep(loginTokens, { hash: hashOf(token) }, present('username'));
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function secondsOf(now: Date): number {
  return Math.floor(now.getTime() / 1000);
}

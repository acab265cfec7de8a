import { absent, allOf, type Change, type Condition, compare, present } from '../aws/expression.ts';
import { type Attribute, getItem, table, updateAndGet } from '../aws/table.ts';
import { putStep, type Step, transact, updateStep } from '../aws/transaction.ts';
import type { BearerCaller } from '../ground/caller.ts';
import type { Touches } from '../ground/resources.ts';
import { refuse } from './refusal.ts';
import type { User } from './user.ts';

export type UserChange = Change<User>;
export type UserCondition = Condition<Attribute<User>>;

export const getUserTouches = { tables: { users: ['GetItem'] } } as const satisfies Touches;
export const changeUserTouches = { tables: { users: ['UpdateItem'] } } as const satisfies Touches;

const users = table<'users', User>('users');

/** Goes into a change of a user, whose tokens up to then are no longer valid. */
export const revokeTokens = { add: { tokenVersion: 1 } } as const satisfies UserChange;

/** @param username canonical */
export function getUser(username: string): Promise<User | undefined> {
  return getItem(users, { username });
}

/** The user who calls, as stored. @throws ApiError `unauthenticated` */
export async function requireUser({ username }: BearerCaller): Promise<User> {
  const user = await getUser(username);
  if (!user) throw refuse('tokenInvalid');
  return user;
}

/** @returns the user as changed; undefined when the condition failed, and then nothing was changed */
export async function changeUser(
  username: string,
  change: UserChange,
  condition?: UserCondition,
): Promise<User | undefined> {
  const updated = await updateAndGet(users, { username }, change, ofExisting(condition));
  return updated.isUpdated ? updated.item : undefined;
}

/**
 * The same for a change that its own condition forbids a second time, of a user none of whose tokens has been revoked
 * since it was read: where the response to the first try is lost, the SDK's second one finds that it is done.
 */
export async function changeUserOnce(
  user: User,
  change: UserChange,
  condition: UserCondition,
): Promise<User | undefined> {
  const step = changeUserStep(user.username, change, allOf(condition, tokensUnrevoked(user)));
  if (await transact([step])) return undefined;
  return { ...user, tokenVersion: user.tokenVersion + (change.add?.tokenVersion ?? 0) };
}

export function changeUserStep(username: string, change: UserChange, condition: UserCondition): Step {
  return updateStep(users, { username }, change, ofExisting(condition));
}

/** Refused where the name is taken. */
export function putUserStep(user: User): Step {
  return putStep(users, user, absent('username'));
}

/** Holds while none of the user's tokens has been revoked since the user was read. */
export function tokensUnrevoked({ tokenVersion }: User): UserCondition {
  return compare('tokenVersion', '=', tokenVersion);
}

function ofExisting(condition: UserCondition | undefined): UserCondition {
  return condition ? allOf(present('username'), condition) : present('username');
}

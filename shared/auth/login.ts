import { allOf, compare } from '../aws/expression.ts';
import { transact } from '../aws/transaction.ts';
import { touching } from '../ground/touches.ts';
import { useFactor, useFactorTouches } from './factor-use.ts';
import {
  consumeLoginTokenStep,
  consumeLoginTokenStepTouches,
  countLoginAttempt,
  countLoginAttemptTouches,
} from './login-token-table.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { refuse } from './refusal.ts';
import { isEnabled, type User } from './user.ts';
import {
  changeUser,
  changeUserStep,
  changeUserTouches,
  getUser,
  getUserTouches,
  tokensUnrevoked,
} from './user-table.ts';

export const checkPasswordTouches = touching(getUserTouches, changeUserTouches);
export const checkSecondFactorTouches = touching(
  countLoginAttemptTouches,
  getUserTouches,
  useFactorTouches,
  consumeLoginTokenStepTouches,
  changeUserTouches,
);

/**
 * An unknown name costs the same time as a wrong password and gets the same response.
 * @throws ApiError `unauthenticated`
 */
export async function checkPassword(username: string, password: string): Promise<User> {
  const user = await getUser(username);
  const isRight = await verifyPassword(password, user?.passwordHash);
  if (!user || !isRight) throw refuse('passwordWrong');
  requireEnabled(user);
  if (isOutdated(user.passwordHash)) await rehash(user, password);
  return user;
}

/**
 * Turns an interim token and a code into a login: token and code are used up together, or neither.
 * @throws ApiError `unauthenticated`
 */
export async function checkSecondFactor(loginToken: string, code: string, now: Date): Promise<User> {
  const attempt = await countLoginAttempt(loginToken, now);
  const user = attempt && (await getUser(attempt.username));
  if (!user || user.tokenVersion !== attempt.tokenVersion) throw refuse('loginTokenInvalid');
  requireEnabled(user);
  const use = await useFactor(user, code, now);
  const refused = await transact([
    consumeLoginTokenStep(loginToken),
    changeUserStep(user.username, use.change, allOf(use.condition, tokensUnrevoked(user))),
  ]);
  if (refused?.failedConditions.includes(0)) throw refuse('loginTokenInvalid');
  if (refused) throw refuse('codeWrong');
  return user;
}

function requireEnabled(user: User): void {
  if (user.accountDisabledAt) throw refuse('accountDisabled');
  if (!isEnabled(user)) throw refuse('userDisabled');
}

/** A changed password in between wins: the old hash is then not put back. */
async function rehash({ username, passwordHash }: User, password: string): Promise<void> {
  const change = { set: { passwordHash: await hashPassword(password) } };
  await changeUser(username, change, compare('passwordHash', '=', passwordHash));
}

import { transact } from '../aws/transaction.ts';
import { useFactor } from './factor-use.ts';
import { consumeLoginToken, countLoginAttempt } from './login-token-table.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { refuse } from './refusal.ts';
import { isEnabled, type User } from './user.ts';
import { changeUser, getUser, userUpdate } from './user-table.ts';

/**
 * An unknown name costs the same time as a wrong password and gets the same answer.
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
  if (!user || user.generation !== attempt.generation) throw refuse('loginTokenDead');
  requireEnabled(user);
  const use = await useFactor(user, code, now);
  const sameGeneration = {
    conditions: ['generation = :generation'],
    values: { ':generation': user.generation },
  };
  const refused = await transact([
    consumeLoginToken(loginToken),
    { Update: userUpdate(user.username, [use, sameGeneration]) },
  ]);
  if (refused?.failedConditions.includes(0)) throw refuse('loginTokenDead');
  if (refused) throw refuse('codeWrong');
  return user;
}

function requireEnabled(user: User): void {
  if (user.accountDisabledAt) throw refuse('accountDisabled');
  if (!isEnabled(user)) throw refuse('userDisabled');
}

/** A changed password in between wins: the old hash is then not put back. */
async function rehash({ username, passwordHash }: User, password: string): Promise<void> {
  await changeUser(username, {
    set: { passwordHash: await hashPassword(password) },
    conditions: ['passwordHash = :old'],
    values: { ':old': passwordHash },
  });
}

import { absent, allOf, anyOf, compare, holds, present } from '../aws/expression.ts';
import { touching } from '../ground/touches.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { refuse } from './refusal.ts';
import { TotpCode, totpStep } from './totp.ts';
import { decryptTotpSecret, decryptTotpSecretTouches } from './totp-secret.ts';
import type { User } from './user.ts';
import {
  changeUser,
  changeUserTouches,
  getUser,
  getUserTouches,
  revokeTokens,
  type UserChange,
  type UserCondition,
} from './user-table.ts';

const freeAttempts = 5;
const firstDelayMilliseconds = 30_000;
const longestDelayMilliseconds = 3_600_000;
const contendedTries = 5;

/** How a code is used up: the change of its user, and the condition that lets one of many uses at once through. */
interface FactorUse {
  readonly change: Pick<UserChange, 'set' | 'deleteFrom'>;
  readonly condition: UserCondition;
}

export const useFactorTouches = touching(getUserTouches, changeUserTouches, decryptTotpSecretTouches);

/** Takes two-factor authentication away, and revokes all tokens. */
export const removeTwoFactor: UserChange = {
  remove: ['totpSecret', 'pendingTotpSecret', 'recoveryCodes'],
  ...revokeTokens,
};

/**
 * Checks a second factor as far as it can be without using it up.
 * @throws ApiError `unauthenticated`
 */
export async function useFactor(user: User, code: string, now: Date): Promise<FactorUse> {
  const totpCode = TotpCode.safeParse(code);
  return totpCode.success ? useTotpCode(user, totpCode.data, now) : useRecoveryCode(code);
}

/** A right code of the app is used up by its time step: neither it nor an earlier one is taken again. */
export function useStep(step: number): FactorUse {
  return {
    change: { set: { totpStep: step, totpFailures: 0, totpRetryAt: 0 } },
    condition: anyOf(absent('totpStep'), compare('totpStep', '<', step)),
  };
}

async function useTotpCode(user: User, code: TotpCode, now: Date): Promise<FactorUse> {
  await countTotpAttempt(user, now);
  const secret = user.totpSecret && (await decryptTotpSecret(user, user.totpSecret));
  const step = secret && (await totpStep(secret, code, now));
  if (!step) throw refuse('codeWrong');
  const { change, condition } = useStep(step);
  return { change, condition: allOf(condition, present('totpSecret')) };
}

/**
 * Counts a TOTP attempt as failed before its code is looked at; a right code sets the count back.
 * @throws ApiError `unauthenticated` while too many wrong codes came in a row
 */
async function countTotpAttempt(user: User, now: Date, tries = contendedTries): Promise<void> {
  const { totpFailures = 0, totpRetryAt = 0 } = user;
  if (totpRetryAt > now.getTime() || tries === 0) throw refuse('totpSuspended');
  const failures = totpFailures + 1;
  const counted = await changeUser(
    user.username,
    { set: { totpFailures: failures, totpRetryAt: now.getTime() + delayAfter(failures) } },
    anyOf(absent('totpFailures'), compare('totpFailures', '=', totpFailures)),
  );
  if (counted) return;
  const again = await getUser(user.username);
  if (!again) throw refuse('codeWrong');
  await countTotpAttempt(again, now, tries - 1);
}

/** How long no TOTP code is looked at after so many wrong ones in a row. */
function delayAfter(failures: number): number {
  return failures < freeAttempts
    ? 0
    : Math.min(firstDelayMilliseconds * 2 ** (failures - freeAttempts), longestDelayMilliseconds);
}

function useRecoveryCode(code: string): FactorUse {
  const hash = hashRecoveryCode(code);
  return {
    change: { deleteFrom: { recoveryCodes: new Set([hash]) } },
    condition: holds('recoveryCodes', hash),
  };
}

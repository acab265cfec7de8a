import { decrypt } from '../aws/kms.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { refuse } from './refusal.ts';
import { TotpCode, totpStep } from './totp.ts';
import type { User } from './user.ts';
import { changeUser, getUser, type UserChange } from './user-table.ts';

const freeAttempts = 5;
const firstDelayMilliseconds = 30_000;
const longestDelayMilliseconds = 3_600_000;
const contendedTries = 5;

/** Ends two-factor authentication and all tokens. */
export const removeTwoFactorChange: UserChange = {
  remove: ['totpSecret', 'pendingTotpSecret', 'recoveryCodes'],
  endTokens: true,
};

export function acceptStep(step: number): UserChange {
  return {
    set: { totpStep: step, totpFailures: 0, totpRetryAt: 0 },
    conditions: ['attribute_not_exists(totpStep) OR totpStep < :step'],
    values: { ':step': step },
  };
}

/**
 * Checks a second factor as far as it can be without using it up.
 * @returns the change of the user that uses it up, whose condition lets one of many uses at once through
 * @throws ApiError `unauthenticated`
 */
export async function useFactor(user: User, code: string, now: Date): Promise<UserChange> {
  const totpCode = TotpCode.safeParse(code);
  return totpCode.success ? useTotpCode(user, totpCode.data, now) : useRecoveryCode(code);
}

/** The same by the user's own code, which counts as used. */
export function removeTwoFactor(
  { deleteFrom: _, ...use }: UserChange,
  generation: number,
): readonly UserChange[] {
  return [
    use,
    removeTwoFactorChange,
    { conditions: ['generation = :generation'], values: { ':generation': generation } },
  ];
}

async function useTotpCode(user: User, code: TotpCode, now: Date): Promise<UserChange> {
  await countTotpAttempt(user, now);
  const { totpSecret } = user;
  const secret = totpSecret && (await decrypt('totpSecrets', totpSecret, { userId: user.id }));
  const step = secret && (await totpStep(secret, code, now));
  if (!step) throw refuse('codeWrong');
  return {
    ...acceptStep(step),
    conditions: [...(acceptStep(step).conditions ?? []), 'attribute_exists(totpSecret)'],
  };
}

/**
 * Counts a TOTP attempt as failed before its code is looked at; a right code sets the count back.
 * @throws ApiError `unauthenticated` while too many wrong codes came in a row
 */
async function countTotpAttempt(user: User, now: Date, tries = contendedTries): Promise<void> {
  const { totpFailures = 0, totpRetryAt = 0 } = user;
  if (totpRetryAt > now.getTime() || tries === 0) throw refuse('totpSuspended');
  const failures = totpFailures + 1;
  const counted = await changeUser(user.username, {
    set: { totpFailures: failures, totpRetryAt: now.getTime() + delayAfter(failures) },
    conditions: ['attribute_not_exists(totpFailures) OR totpFailures = :failures'],
    values: { ':failures': totpFailures },
  });
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

function useRecoveryCode(code: string): UserChange {
  const hash = hashRecoveryCode(code);
  return {
    deleteFrom: { recoveryCodes: new Set([hash]) },
    conditions: ['contains(recoveryCodes, :recoveryCode)'],
    values: { ':recoveryCode': hash },
  };
}

import * as z from 'zod';
import { useStep } from '../../shared/auth/factor-use.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../shared/auth/recovery-code.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { exampleToken, issueToken, issueTokenTouches, NewToken } from '../../shared/auth/session.ts';
import { TotpCode, totpStep } from '../../shared/auth/totp.ts';
import { decryptTotpSecret, decryptTotpSecretTouches } from '../../shared/auth/totp-secret.ts';
import { exampleRecoveryCodes, hasTwoFactor, RecoveryCodes, type User } from '../../shared/auth/user.ts';
import {
  changeUserOnce,
  changeUserTouches,
  getUserTouches,
  requireUser,
  revokeTokens,
} from '../../shared/auth/user-table.ts';
import { absent, allOf, compare } from '../../shared/aws/expression.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import { messages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const EnableTwoFactor = z
  .strictObject(
    {
      code: TotpCode.describe(
        'Six digits of the authenticator app that has the new secret. Spaces between them do not count.',
      ),
    },
    'must be a JSON object',
  )
  .meta({ id: 'EnableTwoFactor', description: 'A code of the secret that was set up.' })
  .register(examples, { app: { code: '492039' } });

const Enabled = NewToken.extend({ recoveryCodes: RecoveryCodes })
  .meta({ id: 'EnabledTwoFactor', description: 'What enabling two-factor authentication gives.' })
  .register(examples, { enabled: { Token: exampleToken, recoveryCodes: exampleRecoveryCodes } });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/enable',
  access: 'user',
  neverStored: true,
  summary: 'Enable two-factor authentication with a code of the secret that was set up',
  description: 'All earlier tokens are revoked. Keep the recovery codes: they are shown this once.',
  failures: {
    conflict: {
      description: 'Two-factor authentication is not set up, or enabled already.',
      message: messages.twoFactorNotPending,
    },
  },
  body: EnableTwoFactor,
  data: Enabled,
  touches: touching(getUserTouches, decryptTotpSecretTouches, changeUserTouches, issueTokenTouches),
});

export const handler = serve(endpoint, async ({ caller, body: { code } }) => {
  const now = new Date();
  const user = await requireUser(caller);
  const { pendingTotpSecret } = user;
  if (!pendingTotpSecret || hasTwoFactor(user)) {
    throw new ApiError('conflict', messages.twoFactorNotPending);
  }
  const step = await totpStep(await decryptTotpSecret(user, pendingTotpSecret), code, now);
  if (!step) throw refuse('codeWrong');
  const recoveryCodes = newRecoveryCodes();
  const enabled = await enable(user, pendingTotpSecret, step, recoveryCodes);
  if (!enabled) throw refuse('codeWrong');
  return { recoveryCodes, Token: await issueToken(enabled, now) };
});

/** The secret that was set up becomes the user's own; of many uses of one code, one enables. */
async function enable(user: User, pending: Uint8Array, step: number, codes: readonly string[]) {
  const use = useStep(step);
  const recoveryCodes = new Set(codes.map(hashRecoveryCode));
  return changeUserOnce(
    user,
    {
      set: { ...use.change.set, totpSecret: pending, recoveryCodes },
      remove: ['pendingTotpSecret'],
      ...revokeTokens,
    },
    allOf(use.condition, absent('totpSecret'), compare('pendingTotpSecret', '=', pending)),
  );
}

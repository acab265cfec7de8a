import * as z from 'zod';
import { requireUser } from '../../shared/auth/current-user.ts';
import { acceptStep } from '../../shared/auth/factor-use.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../shared/auth/recovery-code.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { exampleToken, issueToken, NewToken, sessionTouches } from '../../shared/auth/session.ts';
import { TotpCode, totpStep } from '../../shared/auth/totp.ts';
import { exampleRecoveryCodes, hasTwoFactor, RecoveryCodes, type User } from '../../shared/auth/user.ts';
import { changeUser } from '../../shared/auth/user-table.ts';
import { decrypt } from '../../shared/aws/kms.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
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
  secret: true,
  summary: 'Enable two-factor authentication with a code of the secret that was set up',
  description: 'All earlier tokens end. Keep the recovery codes: they are shown this once.',
  failures: { conflict: 'Two-factor authentication is not set up, or enabled already.' },
  body: EnableTwoFactor,
  data: Enabled,
  touches: {
    tables: { users: ['GetItem', 'UpdateItem'] },
    keys: { totpSecrets: ['Decrypt'] },
    ...sessionTouches,
  },
});

const notSetUp = 'Two-factor authentication is not set up, or enabled already. Set it up first.';

export const handler = serve(endpoint, async ({ caller, body: { code } }) => {
  const now = new Date();
  const user = await requireUser(caller);
  const { pendingTotpSecret } = user;
  if (!pendingTotpSecret || hasTwoFactor(user)) throw new ApiError('conflict', notSetUp);
  const step = await totpStep(
    await decrypt('totpSecrets', pendingTotpSecret, { userId: user.id }),
    code,
    now,
  );
  if (!step) throw refuse('codeWrong');
  const recoveryCodes = newRecoveryCodes();
  const enabled = await enable(user, pendingTotpSecret, step, recoveryCodes);
  if (!enabled) throw refuse('codeWrong');
  return { recoveryCodes, Token: await issueToken(enabled, now) };
});

/** The secret that was set up becomes the user's own; of many uses of one code, one enables. */
async function enable(user: User, pending: Uint8Array, step: number, codes: readonly string[]) {
  return changeUser(user.username, acceptStep(step), {
    set: { totpSecret: pending, recoveryCodes: new Set(codes.map(hashRecoveryCode)) },
    remove: ['pendingTotpSecret'],
    endTokens: true,
    conditions: [
      'attribute_not_exists(totpSecret) AND pendingTotpSecret = :pending AND generation = :generation',
    ],
    values: { ':pending': pending, ':generation': user.generation },
  });
}

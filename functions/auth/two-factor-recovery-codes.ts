import * as z from 'zod';
import { useFactor, useFactorTouches } from '../../shared/auth/factor-use.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../shared/auth/recovery-code.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { CodeOnly, exampleRecoveryCodes, hasTwoFactor, RecoveryCodes } from '../../shared/auth/user.ts';
import {
  changeUserOnce,
  changeUserTouches,
  getUserTouches,
  requireUser,
} from '../../shared/auth/user-table.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import { messages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const NewRecoveryCodes = z
  .object({ recoveryCodes: RecoveryCodes })
  .meta({ id: 'NewRecoveryCodes', description: 'Fresh recovery codes.' })
  .register(examples, { codes: { recoveryCodes: exampleRecoveryCodes } });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/recovery-codes',
  access: 'user',
  neverStored: true,
  summary: 'Make new recovery codes; the old ones are no longer valid',
  description: 'Tokens stay valid.',
  failures: {
    conflict: { description: messages.twoFactorNotEnabled, message: messages.twoFactorNotEnabled },
  },
  body: CodeOnly,
  data: NewRecoveryCodes,
  touches: touching(getUserTouches, useFactorTouches, changeUserTouches),
});

export const handler = serve(endpoint, async ({ caller, body: { code } }) => {
  const user = await requireUser(caller);
  if (!hasTwoFactor(user)) throw new ApiError('conflict', messages.twoFactorNotEnabled);
  const use = await useFactor(user, code, new Date());
  const recoveryCodes = newRecoveryCodes();
  const replaced = await changeUserOnce(
    user,
    { set: { ...use.change.set, recoveryCodes: new Set(recoveryCodes.map(hashRecoveryCode)) } },
    use.condition,
  );
  if (!replaced) throw refuse('codeWrong');
  return { recoveryCodes };
});

import * as z from 'zod';
import { removeTwoFactor, useFactor, useFactorTouches } from '../../shared/auth/factor-use.ts';
import { verifyPassword } from '../../shared/auth/password.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { issueToken, issueTokenTouches, NewToken } from '../../shared/auth/session.ts';
import { Code, hasTwoFactor, Password } from '../../shared/auth/user.ts';
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

const PasswordAndCode = z
  .strictObject({ password: Password, code: Code }, 'must be a JSON object')
  .meta({ id: 'PasswordAndCode', description: 'Both factors.' })
  .register(examples, { both: { password: 'correct horse battery staple', code: '492039' } });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/disable',
  access: 'user',
  neverStored: true,
  summary: 'Disable two-factor authentication',
  description: 'All earlier tokens are revoked.',
  failures: {
    conflict: { description: messages.twoFactorNotEnabled, message: messages.twoFactorNotEnabled },
  },
  body: PasswordAndCode,
  data: NewToken,
  touches: touching(getUserTouches, useFactorTouches, changeUserTouches, issueTokenTouches),
});

export const handler = serve(endpoint, async ({ caller, body: { password, code } }) => {
  const now = new Date();
  const user = await requireUser(caller);
  if (!hasTwoFactor(user)) throw new ApiError('conflict', messages.twoFactorNotEnabled);
  if (!(await verifyPassword(password, user.passwordHash))) throw refuse('currentPasswordWrong');
  const use = await useFactor(user, code, now);
  const disabled = await changeUserOnce(user, { ...removeTwoFactor, set: use.change.set }, use.condition);
  if (!disabled) throw refuse('codeWrong');
  return { Token: await issueToken(disabled, now) };
});

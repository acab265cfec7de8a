import * as z from 'zod';
import { hashPassword, NewPassword, verifyPassword } from '../../shared/auth/password.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { issueToken, issueTokenTouches, NewToken } from '../../shared/auth/session.ts';
import { Password } from '../../shared/auth/user.ts';
import {
  changeUserOnce,
  changeUserTouches,
  getUserTouches,
  requireUser,
  revokeTokens,
} from '../../shared/auth/user-table.ts';
import { compare } from '../../shared/aws/expression.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const ChangePassword = z
  .strictObject({ currentPassword: Password, newPassword: NewPassword }, 'must be a JSON object')
  .meta({ id: 'ChangePassword', description: 'The old password and the new one.' })
  .register(examples, {
    passwords: { currentPassword: 'correct horse battery staple', newPassword: 'a new and longer secret' },
  });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/password',
  access: 'user',
  neverStored: true,
  summary: 'Change the password; all earlier tokens are revoked',
  description: 'The token in the response is valid from then on; all earlier ones are revoked.',
  body: ChangePassword,
  data: NewToken,
  touches: touching(getUserTouches, changeUserTouches, issueTokenTouches),
});

export const handler = serve(endpoint, async ({ caller, body: { currentPassword, newPassword } }) => {
  const user = await requireUser(caller);
  if (!(await verifyPassword(currentPassword, user.passwordHash))) throw refuse('currentPasswordWrong');
  const changed = await changeUserOnce(
    user,
    { set: { passwordHash: await hashPassword(newPassword) }, ...revokeTokens },
    compare('passwordHash', '=', user.passwordHash),
  );
  if (!changed) throw refuse('currentPasswordWrong');
  return { Token: await issueToken(changed, new Date()) };
});

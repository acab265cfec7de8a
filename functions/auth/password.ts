import * as z from 'zod';
import { requireUser } from '../../shared/auth/current-user.ts';
import { hashPassword, NewPassword, verifyPassword } from '../../shared/auth/password.ts';
import { refuse } from '../../shared/auth/refusal.ts';
import { issueToken, NewToken, sessionTouches } from '../../shared/auth/session.ts';
import { Password } from '../../shared/auth/user.ts';
import { changeUser } from '../../shared/auth/user-table.ts';
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
  secret: true,
  summary: 'Change the password; all earlier tokens die',
  description: 'The token in the answer goes on; all earlier ones end.',
  body: ChangePassword,
  data: NewToken,
  touches: { tables: { users: ['GetItem', 'UpdateItem'] }, ...sessionTouches },
});

export const handler = serve(endpoint, async ({ caller, body: { currentPassword, newPassword } }) => {
  const user = await requireUser(caller);
  if (!(await verifyPassword(currentPassword, user.passwordHash))) throw refuse('currentPasswordWrong');
  const changed = await changeUser(user.username, {
    set: { passwordHash: await hashPassword(newPassword) },
    endTokens: true,
    conditions: ['passwordHash = :old AND generation = :generation'],
    values: { ':old': user.passwordHash, ':generation': user.generation },
  });
  if (!changed) throw refuse('currentPasswordWrong');
  return { Token: await issueToken(changed, new Date()) };
});

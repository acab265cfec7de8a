import * as z from 'zod';
import { checkPassword } from '../../shared/auth/login.ts';
import { createLoginToken } from '../../shared/auth/login-token-table.ts';
import { FullLogin, fullLogin, sessionTouches } from '../../shared/auth/session.ts';
import { hasTwoFactor, Password, Username } from '../../shared/auth/user.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/Login',
  access: 'public',
  summary: 'Log in with user name and password',
  body: z.strictObject(
    {
      username: Username.describe('Case does not count.'),
      password: Password,
    },
    'must be a JSON object',
  ),
  data: z.union([
    FullLogin,
    z.strictObject({
      RequiresTwoFactor: z.literal(true).describe('The login is incomplete: a code is needed.'),
      TwoFactorToken: z.string().describe('Send it with the code to /api/Auth/2fa/verify within 5 minutes.'),
    }),
  ]),
  touches: {
    tables: { users: ['GetItem', 'UpdateItem'], loginTokens: ['PutItem'] },
    ...sessionTouches,
  },
});

export const handler = serve(endpoint, async ({ body: { username, password } }) => {
  const now = new Date();
  const user = await checkPassword(username, password);
  if (!hasTwoFactor(user)) return fullLogin(user, now);
  const TwoFactorToken = await createLoginToken(user.username, user.generation, now);
  return { RequiresTwoFactor: true as const, TwoFactorToken };
});

import * as z from 'zod';
import { checkSecondFactor } from '../../shared/auth/login.ts';
import { FullLogin, fullLogin, sessionTouches } from '../../shared/auth/session.ts';
import { Code } from '../../shared/auth/user.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { Line } from '../../shared/http/text.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/verify',
  access: 'public',
  summary: 'Complete a login with a TOTP or recovery code',
  body: z.strictObject(
    { twoFactorToken: Line.describe('The TwoFactorToken of the login.'), code: Code },
    'must be a JSON object',
  ),
  data: FullLogin,
  touches: {
    tables: { loginTokens: ['UpdateItem', 'DeleteItem'], users: ['GetItem', 'UpdateItem'] },
    keys: { totpSecrets: ['Decrypt'] },
    ...sessionTouches,
  },
});

export const handler = serve(endpoint, async ({ body: { twoFactorToken, code } }) => {
  const now = new Date();
  return fullLogin(await checkSecondFactor(twoFactorToken, code, now), now);
});

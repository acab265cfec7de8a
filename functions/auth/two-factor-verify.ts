import * as z from 'zod';
import { checkSecondFactor, checkSecondFactorTouches } from '../../shared/auth/login.ts';
import { exampleLoginToken, FullLogin, fullLogin, issueTokenTouches } from '../../shared/auth/session.ts';
import { Code } from '../../shared/auth/user.ts';
import { authenticationMessages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { SingleLine } from '../../shared/http/text.ts';

const SecondFactor = z
  .strictObject(
    { twoFactorToken: SingleLine.describe('The TwoFactorToken of the login.'), code: Code },
    'must be a JSON object',
  )
  .meta({ id: 'SecondFactor', description: 'The second half of a login with two factors.' })
  .register(examples, {
    app: { twoFactorToken: exampleLoginToken, code: '492039' },
    recoveryCode: { twoFactorToken: exampleLoginToken, code: 'k3v9p-7xq2m-c8r4t-n6wbh-y5zde' },
  });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/verify',
  access: 'public',
  summary: 'Complete a login with a TOTP or recovery code',
  description:
    'A TwoFactorToken is valid for 5 minutes and takes 5 wrong codes. Each code is accepted once; after many wrong ones in a row codes of the app are refused for a while, and recovery codes still work.',
  failures: {
    unauthenticated: {
      description:
        'The TwoFactorToken is no longer valid, or the code is wrong or used, or the user is disabled.',
      message: authenticationMessages.loginTokenInvalid,
    },
  },
  body: SecondFactor,
  data: FullLogin,
  touches: touching(checkSecondFactorTouches, issueTokenTouches),
});

export const handler = serve(endpoint, async ({ body: { twoFactorToken, code } }) => {
  const now = new Date();
  return fullLogin(await checkSecondFactor(twoFactorToken, code, now), now);
});

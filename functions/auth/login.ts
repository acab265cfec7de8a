import * as z from 'zod';
import { checkPassword, checkPasswordTouches } from '../../shared/auth/login.ts';
import { createLoginToken, createLoginTokenTouches } from '../../shared/auth/login-token-table.ts';
import {
  exampleLogin,
  exampleLoginToken,
  FullLogin,
  fullLogin,
  issueTokenTouches,
} from '../../shared/auth/session.ts';
import { hasTwoFactor, Password, Username } from '../../shared/auth/user.ts';
import { authenticationMessages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const Credentials = z
  .strictObject(
    { username: Username.describe('The user’s name. Case does not count.'), password: Password },
    'must be a JSON object',
  )
  .meta({ id: 'Credentials', description: 'Who logs in.' })
  .register(examples, { user: { username: 'anna@example.com', password: 'correct horse battery staple' } });

const IncompleteLogin = z
  .strictObject({
    RequiresTwoFactor: z.literal(true).describe('The login is incomplete: a code is needed.'),
    TwoFactorToken: z.string().describe('Send it with the code to /api/Auth/2fa/verify within 5 minutes.'),
  })
  .meta({ id: 'IncompleteLogin', description: 'The first half of a login with two factors.' });

const Login = z
  .union([FullLogin, IncompleteLogin])
  .meta({ id: 'Login', description: 'A complete login, or the first half of one with two factors.' })
  .register(examples, {
    complete: exampleLogin,
    twoFactor: { RequiresTwoFactor: true, TwoFactorToken: exampleLoginToken },
  });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/Login',
  access: 'public',
  summary: 'Log in with user name and password',
  description:
    'The token is at data.Token and valid for 24 hours by default. Where the user has two-factor authentication the response holds a TwoFactorToken instead: exchange it with a code at /api/Auth/2fa/verify.',
  failures: {
    unauthenticated: {
      description: 'The user name or the password is wrong, or the user or account is disabled.',
      message: authenticationMessages.passwordWrong,
    },
  },
  body: Credentials,
  data: Login,
  touches: touching(checkPasswordTouches, createLoginTokenTouches, issueTokenTouches),
});

export const handler = serve(endpoint, async ({ body: { username, password } }) => {
  const now = new Date();
  const user = await checkPassword(username, password);
  if (!hasTwoFactor(user)) return fullLogin(user, now);
  const TwoFactorToken = await createLoginToken(user, now);
  return { RequiresTwoFactor: true as const, TwoFactorToken };
});

import * as z from 'zod';
import { fromEnvironment, settingVariable } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { examples } from '../http/examples.ts';
import { signAccessToken } from './access-token.ts';
import { currentSigningKey, signingKeyTouches } from './signing-keys.ts';
import type { User } from './user.ts';

export const issueTokenTouches = touching(signingKeyTouches, { settings: ['tokenLifetimeSeconds'] });

const Token = z.string().describe('Access token: send it as Authorization: Bearer.');

export const exampleToken = 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
export const exampleLoginToken = 'Vb3sQ0uVnq0tH3mJ9Xn1cYw7dKzR5pLf2gTeAa8iMoE';
export const exampleLogin = { Token: exampleToken, Message: 'Login successful.' };

export const NewToken = z
  .object({ Token })
  .meta({ id: 'NewToken', description: 'A fresh token; all earlier ones of the user are revoked.' })
  .register(examples, { token: { Token: exampleToken } });

/** Source: the specification's "Login result". */
export const FullLogin = z
  .strictObject({ Token, Message: z.string().describe('Status of the login, for people.') })
  .meta({ id: 'FullLogin', description: 'A complete login.' })
  .register(examples, { login: exampleLogin });

/** An access token of the user's present token version. */
export async function issueToken(
  { id, username, accountId, tokenVersion }: User,
  now: Date,
): Promise<string> {
  const lifetimeSeconds = Number(fromEnvironment(settingVariable('tokenLifetimeSeconds')));
  const claims = { sub: id, username, accountId, tokenVersion };
  return signAccessToken(claims, await currentSigningKey(), lifetimeSeconds, now);
}

export async function fullLogin(user: User, now: Date): Promise<z.output<typeof FullLogin>> {
  return {
    Token: await issueToken(user, now),
    Message: 'Login successful.',
  };
}

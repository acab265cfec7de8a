import * as z from 'zod';
import { fromEnvironment, settingVariable, type Touches } from '../ground/resources.ts';
import { examples } from '../http/examples.ts';
import { signAccessToken } from './access-token.ts';
import { currentSigningKey } from './signing-keys.ts';
import type { User } from './user.ts';

/** What whoever gives out tokens must be allowed to do. */
export const sessionTouches = {
  secrets: { signingKey: ['GetSecretValue'] },
  settings: ['tokenLifetimeSeconds'],
} as const satisfies Touches;

const Token = z.string().describe('Access token: send it as Authorization: Bearer.');

export const exampleToken = 'eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
export const exampleLoginToken = 'Vb3sQ0uVnq0tH3mJ9Xn1cYw7dKzR5pLf2gTeAa8iMoE';
export const exampleLogin = { Token: exampleToken, Message: 'Login successful.' };

export const NewToken = z
  .object({ Token })
  .meta({ id: 'NewToken', description: 'A fresh token; all earlier ones of the user have ended.' })
  .register(examples, { token: { Token: exampleToken } });

/** Source: the specification's "Login result". */
export const FullLogin = z
  .strictObject({ Token, Message: z.string().describe('Status of the login, for people.') })
  .meta({ id: 'FullLogin', description: 'A complete login.' })
  .register(examples, { login: exampleLogin });

/** An access token of the user's present generation. */
export async function issueToken({ id, username, accountId, generation }: User, now: Date): Promise<string> {
  const lifetimeSeconds = Number(fromEnvironment(settingVariable('tokenLifetimeSeconds')));
  const claims = { sub: id, username, accountId, generation };
  return signAccessToken(claims, await currentSigningKey(), lifetimeSeconds, now);
}

export async function fullLogin(user: User, now: Date): Promise<z.output<typeof FullLogin>> {
  return {
    Token: await issueToken(user, now),
    Message: 'Login successful.',
  };
}

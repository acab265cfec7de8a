import * as z from 'zod';
import { fromEnvironment, settingVariable, type Touches } from '../resources.ts';
import { signAccessToken } from './access-token.ts';
import { currentSigningKey } from './signing-keys.ts';
import type { User } from './user.ts';

/** What whoever gives out tokens must be allowed to do. */
export const sessionTouches = {
  secrets: { signingKey: ['GetSecretValue'] },
  settings: ['tokenLifetimeSeconds'],
} as const satisfies Touches;

export const NewToken = z.object({
  Token: z.string().describe('Access token: send it as Authorization: Bearer.'),
});

/** Source: the specification's "Login result". */
export const FullLogin = z.strictObject({
  Token: z.string().describe('Access token: send it as Authorization: Bearer.'),
  Message: z.string().describe('Status of the login, for people.'),
});

/** An access token of the user's present generation. */
export const issueToken = async (
  { id, username, accountId, generation }: User,
  now: Date,
): Promise<string> => {
  const lifetimeSeconds = Number(fromEnvironment(settingVariable('tokenLifetimeSeconds')));
  const claims = { sub: id, username, accountId, generation };
  return signAccessToken(claims, await currentSigningKey(), lifetimeSeconds, now);
};

export const fullLogin = async (user: User, now: Date): Promise<z.output<typeof FullLogin>> => ({
  Token: await issueToken(user, now),
  Message: 'Login successful.',
});

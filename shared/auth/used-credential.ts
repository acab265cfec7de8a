import * as z from 'zod';
import type { Caller } from '../ground/caller.ts';

/** The credential that a request was made with, as customers are shown it. */
export const UsedCredential = z
  .discriminatedUnion('scheme', [
    z.object({
      scheme: z.literal('apiKey').describe('An API key was used.'),
      id: z.string().describe('Id of the key.'),
      prefix: z.string().describe('First 8 characters of the key.'),
    }),
    z.object({
      scheme: z.literal('bearer').describe('An access token was used.'),
      username: z.string().describe('Name of the user.'),
      twoFactorEnabled: z.boolean().describe('Whether the user’s logins need a code.'),
    }),
  ])
  .meta({ id: 'UsedCredential', description: 'What a request authenticated with.' });
export type UsedCredential = z.output<typeof UsedCredential>;

export function usedCredential(caller: Caller): UsedCredential {
  return caller.scheme === 'apiKey'
    ? { scheme: caller.scheme, id: caller.apiKeyId, prefix: caller.apiKeyPrefix }
    : {
        scheme: caller.scheme,
        username: caller.username,
        twoFactorEnabled: caller.twoFactorEnabled === 'true',
      };
}

import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';

/** The account as its own customers see it. */
export const Account = z.object({
  id: z.string().describe('The account’s id.'),
  name: z.string().describe('The account’s name.'),
  createdAt: z.string().describe('When the account was made, ISO 8601 UTC.'),
  credential: UsedCredential.describe('What this request authenticated with: a plugin’s connection test.'),
});
export type Account = z.output<typeof Account>;

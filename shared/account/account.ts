import * as z from 'zod';

export const AccountStatus = z.enum(['active', 'disabled']);

/** The account as its own customers see it. */
export const Account = z.object({
  id: z.string().describe('The account’s id.'),
  name: z.string().describe('The account’s name.'),
  createdAt: z.string().describe('When the account was made, ISO 8601 UTC.'),
  credential: z
    .object({
      scheme: z.literal('apiKey').describe('How this request authenticated.'),
      id: z.string().describe('The id of the API key used.'),
      prefix: z.string().describe('The first 8 characters of the API key used.'),
    })
    .describe('The credential that this request was made with: a plugin’s connection test.'),
});
export type Account = z.output<typeof Account>;

import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { Time } from '../http/time.ts';

/** The account as its own customers see it. */
export const Account = z
  .object({
    id: z.string().describe('The account’s id.'),
    name: z.string().describe('The account’s name.'),
    createdAt: Time.describe('When the account was made.'),
    credential: UsedCredential.describe('What this request authenticated with: a plugin’s connection test.'),
  })
  .meta({ id: 'Account', description: 'The account that the credential belongs to.' })
  .register(examples, {
    account: {
      id: exampleIds.account,
      name: 'Acme',
      createdAt: exampleTime,
      credential: { scheme: 'bearer', username: 'anna@example.com', twoFactorEnabled: true },
    },
  });
export type Account = z.output<typeof Account>;

import * as z from 'zod';
import { notFound } from '../ground/api-error.ts';
import type { Caller } from '../ground/caller.ts';
import { messages } from '../ground/messages.ts';

const needed = 'must be given: the id of the account that the credential belongs to';

/** The query of every ticket endpoint. Source: the specification's conventions, number 7. */
export const AccountQuery = z.strictObject({
  accountId: z.string(needed).min(1, needed).describe('Id of the credential’s own account.'),
});

/** What every endpoint with that query refuses. */
export const accountQueryFailures = {
  notFound: {
    description: 'The account is not the credential’s own.',
    message: messages.notFound('Account'),
  },
} as const;

/** @throws ApiError `notFound`, the same for another account as for none */
export function requireOwnAccount(caller: Caller, accountId: string): void {
  if (accountId !== caller.accountId) throw notFound('Account');
}

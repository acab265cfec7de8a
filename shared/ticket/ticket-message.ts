import * as z from 'zod';
import type { Caller } from '../auth/caller.ts';
import { Text } from '../http/text.ts';

export const CreateTicketMessage = z.strictObject(
  { body: Text.describe('The message. Newlines and tabs are kept.') },
  'must be a JSON object',
);

export const TicketMessage = z.object({
  id: z.string().describe('Id of the message.'),
  author: z.enum(['customer', 'support']).describe('Who wrote it.'),
  authorName: z
    .string()
    .describe('A customer’s user name, or the first 8 characters of the API key; Support for support.'),
  body: z.string().describe('The message.'),
  createdAt: z.string().describe('When it was written, ISO 8601 UTC.'),
});
export type TicketMessage = z.output<typeof TicketMessage>;

export type Author = Pick<TicketMessage, 'author' | 'authorName'>;

export const customer = (caller: Caller): Author => ({
  author: 'customer',
  authorName: caller.scheme === 'bearer' ? caller.username : caller.apiKeyPrefix,
});

export const support: Author = { author: 'support', authorName: 'Support' };

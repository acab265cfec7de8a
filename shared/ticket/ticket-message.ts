import * as z from 'zod';
import type { Caller } from '../ground/caller.ts';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { Text } from '../http/text.ts';
import { Time } from '../http/time.ts';

export const CreateTicketMessage = z
  .strictObject({ body: Text.describe('The message. Newlines and tabs are kept.') }, 'must be a JSON object')
  .meta({ id: 'CreateTicketMessage', description: 'A new message to support.' })
  .register(examples, { message: { body: 'It is only on www.example.com.' } });

export const TicketMessage = z
  .object({
    id: z.string().describe('Id of the message.'),
    author: z.enum(['customer', 'support']).describe('Who wrote it.'),
    authorName: z
      .string()
      .describe('A customer’s user name, or the first 8 characters of the API key; Support for support.'),
    body: z.string().describe('The message.'),
    createdAt: Time.describe('When it was written.'),
  })
  .meta({ id: 'TicketMessage', description: 'A message of a ticket.' })
  .register(examples, {
    message: {
      id: exampleIds.ticketMessage,
      author: 'customer',
      authorName: 'anna@example.com',
      body: 'It is only on www.example.com.',
      createdAt: exampleTime,
    },
  });
export type TicketMessage = z.output<typeof TicketMessage>;

export type Author = Pick<TicketMessage, 'author' | 'authorName'>;

export const support: Author = { author: 'support', authorName: 'Support' };

export function customer(caller: Caller): Author {
  return {
    author: 'customer',
    authorName: caller.scheme === 'bearer' ? caller.username : caller.apiKeyPrefix,
  };
}

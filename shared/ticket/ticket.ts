import * as z from 'zod';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { oneOf, SingleLine, Text } from '../http/text.ts';
import { Time } from '../http/time.ts';

const statuses = ['open', 'pending', 'closed'] as const;
const customerStatuses = ['open', 'closed'] as const;
const categories = ['technical', 'billing', 'purge', 'other'] as const;
const priorities = ['low', 'normal', 'high', 'urgent'] as const;

/** Open: support’s turn. Pending: the customer’s. */
export const TicketStatus = z.enum(statuses, oneOf(statuses));
export type TicketStatus = z.output<typeof TicketStatus>;

const Category = z.enum(categories, oneOf(categories));
const Priority = z.enum(priorities, oneOf(priorities));

export const CreateTicket = z
  .strictObject(
    {
      subject: SingleLine.describe('What it is about, in one line.'),
      body: Text.describe('The first message. Newlines and tabs are kept.'),
      category: Category.default('other').describe('What kind of help is asked for.'),
      priority: Priority.default('normal').describe('How urgent it is.'),
      propertyId: z
        .string('must be the id of a property of the account')
        .optional()
        .describe('The property of the account that it is about.'),
    },
    'must be a JSON object',
  )
  .meta({ id: 'CreateTicket', description: 'A new ticket with its first message.' })
  .register(examples, {
    least: { subject: 'Old images', body: 'Since Monday visitors see last week’s images.' },
    all: {
      subject: 'Old images',
      body: 'Since Monday visitors see last week’s images.',
      category: 'purge',
      priority: 'high',
      propertyId: exampleIds.property,
    },
  });
export type CreateTicket = z.output<typeof CreateTicket>;

/** A merge patch. Neither field can be cleared. */
export const UpdateTicket = z
  .strictObject(
    {
      status: z
        .enum(customerStatuses, oneOf(customerStatuses))
        .optional()
        .describe('Closes the ticket, or opens it again.'),
      priority: Priority.optional().describe('How urgent it is.'),
    },
    'must be a JSON object',
  )
  .meta({ id: 'UpdateTicket', description: 'A merge patch: what is left out stays.' })
  .register(examples, { close: { status: 'closed' }, urgent: { priority: 'urgent' } });
export type UpdateTicket = z.output<typeof UpdateTicket>;

export const Ticket = z
  .object({
    id: z.string().describe('Id of the ticket.'),
    number: z.int().describe('1, 2, 3 … within the account, without gaps.'),
    subject: z.string().describe('What it is about, in one line.'),
    category: Category.describe('What kind of help is asked for.'),
    priority: Priority.describe('How urgent it is.'),
    status: TicketStatus.describe(
      'open: waiting for support. pending: support has replied and waits for the customer. closed: done; a new message opens it again.',
    ),
    propertyId: z.string().optional().describe('The property that it is about, where one was named.'),
    messageCount: z.int().describe('How many messages it has.'),
    createdAt: Time.describe('When it was made.'),
    updatedAt: Time.describe('When it or its messages last changed.'),
    version: z.int().describe('Rises by one with every change, a new message included. Send it in If-Match.'),
  })
  .meta({ id: 'Ticket', description: 'A question to support.' })
  .register(examples, {
    ticket: {
      id: exampleIds.ticket,
      number: 17,
      subject: 'Old images',
      category: 'purge',
      priority: 'high',
      status: 'open',
      propertyId: exampleIds.property,
      messageCount: 1,
      createdAt: exampleTime,
      updatedAt: exampleTime,
      version: 3,
    },
  });
export type Ticket = z.output<typeof Ticket>;

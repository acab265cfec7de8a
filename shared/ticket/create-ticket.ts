import { untilWritten } from '../aws/optimistic-retry.ts';
import { appendSteps, highestNumber } from '../aws/sequence.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { touching } from '../ground/touches.ts';
import { getProperty, getPropertyTouches } from '../property/property-table.ts';
import { type CreateTicket, Ticket } from './ticket.ts';
import type { Author, TicketMessage } from './ticket-message.ts';
import { ticketMessages } from './ticket-message-table.ts';
import { findTicket, findTicketTouches, tickets } from './ticket-table.ts';

export const createTicketTouches = touching(getPropertyTouches, findTicketTouches, {
  tables: { tickets: ['Query', 'PutItem'], ticketMessages: ['PutItem'] },
});

/**
 * Makes a ticket with its first message under the account's next number.
 * @param id of the ticket and of its first message; a ticket that an earlier try of the same work has made is
 * found, not made again
 * @throws ApiError `invalid` for a property that the account does not have
 */
export async function createTicket(
  accountId: string,
  { body, ...input }: CreateTicket,
  author: Author,
  id: string,
): Promise<Ticket> {
  if (input.propertyId !== undefined) await requireProperty(accountId, input.propertyId);
  return untilWritten(async () => {
    const number = (await highestNumber(tickets, accountId)) + 1;
    const createdAt = new Date().toISOString();
    const ticket = Ticket.parse({
      ...input,
      id,
      number,
      status: 'open',
      messageCount: 1,
      createdAt,
      updatedAt: createdAt,
      version: 1,
    });
    const message: TicketMessage = { id, ...author, body, createdAt };
    const refused = await transact([
      ...appendSteps(tickets, accountId, ticket),
      ...appendSteps(ticketMessages, id, { ...message, number: ticket.messageCount }),
    ]);
    return refused ? findTicket(accountId, id) : ticket;
  });
}

/** Says the same of another account's property as of none. */
async function requireProperty(accountId: string, propertyId: string): Promise<void> {
  try {
    await getProperty(accountId, propertyId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'notFound') throw error;
    throw new ApiError('invalid', 'Invalid request: propertyId must be the id of a property of the account.');
  }
}

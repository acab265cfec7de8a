import { untilWritten } from '../aws/optimistic-retry.ts';
import { appendSteps, findInSequence, replaceStep, sequenceRange } from '../aws/sequence.ts';
import { table } from '../aws/table.ts';
import { transact } from '../aws/transaction.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import type { Page, PageQuery } from '../http/page.ts';
import type { Ticket } from './ticket.ts';
import { type Author, TicketMessage } from './ticket-message.ts';
import { getTicket, getTicketTouches, nextVersion, tickets } from './ticket-table.ts';

interface TicketMessageItem extends TicketMessage {
  readonly ticketId: string;
  readonly position: string;
  readonly number: number;
}

export const ticketMessages = table<'ticketMessages', TicketMessageItem>('ticketMessages');

export const addMessageTouches = touching(getTicketTouches, {
  tables: { tickets: ['PutItem'], ticketMessages: ['GetItem', 'PutItem'] },
});

/**
 * Adds a message and counts it in its ticket, which is then the other side's turn: a customer's message opens
 * it, support's makes it pending.
 * @param id of the message; one that an earlier try of the same work has added is found, not added again
 * @throws ApiError `notFound`
 */
export function addMessage(
  accountId: string,
  ticketId: string,
  author: Author,
  body: string,
  id: string,
): Promise<TicketMessage> {
  return untilWritten(async () => {
    const before = await getTicket(accountId, ticketId);
    const after = nextVersion(before, {
      status: author.author === 'customer' ? 'open' : 'pending',
      messageCount: before.messageCount + 1,
    });
    const message: TicketMessage = { id, ...author, body, createdAt: after.updatedAt };
    const refused = await transact([
      replaceStep(tickets, accountId, after, before.version),
      ...appendSteps(ticketMessages, ticketId, { ...message, number: after.messageCount }),
    ]);
    return refused ? findMessage(ticketId, id) : message;
  });
}

export const listMessagesTouches = { tables: { ticketMessages: ['Query'] } } as const satisfies Touches;

/** Oldest first, with the exact total. */
export async function listMessages(
  { id, messageCount }: Ticket,
  { pageNumber, pageSize }: PageQuery,
): Promise<Page<TicketMessage>> {
  const first = (pageNumber - 1) * pageSize + 1;
  const last = Math.min(messageCount, first + pageSize - 1);
  const items = first > last ? [] : await sequenceRange(ticketMessages, id, first, last);
  return { items: items.map(toMessage), pageNumber, pageSize, totalRecords: messageCount };
}

async function findMessage(ticketId: string, id: string): Promise<TicketMessage | undefined> {
  const item = await findInSequence(ticketMessages, ticketId, id);
  return item && toMessage(item);
}

/** In the fields' own order, without what only the table knows. */
function toMessage(item: TicketMessageItem): TicketMessage {
  return TicketMessage.parse(item);
}

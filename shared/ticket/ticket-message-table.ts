import { untilWritten } from '../aws/contention.ts';
import { addNumbered, findNumbered, numberedRange, replaceNumbered } from '../aws/numbered.ts';
import { transact } from '../aws/transaction.ts';
import type { Page, PageQuery } from '../http/page.ts';
import type { Ticket } from './ticket.ts';
import { type Author, TicketMessage } from './ticket-message.ts';
import { getTicket, nextVersion } from './ticket-table.ts';

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
      replaceNumbered('tickets', accountId, after, before.version),
      ...addNumbered('ticketMessages', ticketId, { ...message, number: after.messageCount }),
    ]);
    return refused ? findMessage(ticketId, id) : message;
  });
}

/** Oldest first, with the exact total. */
export async function listMessages(
  { id, messageCount }: Ticket,
  { pageNumber, pageSize }: PageQuery,
): Promise<Page<TicketMessage>> {
  const first = (pageNumber - 1) * pageSize + 1;
  const last = Math.min(messageCount, first + pageSize - 1);
  const items = first > last ? [] : await numberedRange('ticketMessages', id, first, last);
  return {
    items: items.map((item) => TicketMessage.parse(item)),
    pageNumber,
    pageSize,
    totalRecords: messageCount,
  };
}

async function findMessage(ticketId: string, id: string): Promise<TicketMessage | undefined> {
  const item = await findNumbered('ticketMessages', ticketId, id);
  return item && TicketMessage.parse(item);
}

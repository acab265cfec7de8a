import { compare, present } from '../aws/expression.ts';
import { queryPages } from '../aws/query.ts';
import { scanAll } from '../aws/scan.ts';
import { highestFirst, highestNumber, sequenceRange } from '../aws/sequence.ts';
import type { Touches } from '../ground/resources.ts';
import type { Page, PageQuery } from '../http/page.ts';
import type { Ticket, TicketStatus } from './ticket.ts';
import { type TicketItem, tickets, toTicket } from './ticket-table.ts';

const countLimit = 10_000;

export const listTicketsTouches = { tables: { tickets: ['Query'] } } as const satisfies Touches;

/** Newest first, with the exact total; of one status, `totalRecords` counts up to 10,000 and then says 10,000. */
export async function listTickets(
  accountId: string,
  { pageNumber, pageSize }: PageQuery,
  status?: TicketStatus,
): Promise<Page<Ticket>> {
  if (status) {
    const all = await filtered(accountId, status);
    const items = all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize).map(toTicket);
    return { items, pageNumber, pageSize, totalRecords: all.length };
  }
  const totalRecords = await highestNumber(tickets, accountId);
  const last = totalRecords - (pageNumber - 1) * pageSize;
  const first = Math.max(1, last - pageSize + 1);
  const items = last < 1 ? [] : await sequenceRange(tickets, accountId, first, last);
  return { items: items.map(toTicket).reverse(), pageNumber, pageSize, totalRecords };
}

/** The tickets of all accounts, newest first; for the operator only, since it reads the whole table. */
export async function listAllTickets(): Promise<readonly (Ticket & { readonly accountId: string })[]> {
  const items = await scanAll(tickets, present('subject'));
  return items
    .map((item) => ({ accountId: item.accountId, ...toTicket(item) }))
    .sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
}

/** Every ticket of one status, newest first, up to the limit. */
async function filtered(accountId: string, status: TicketStatus): Promise<readonly TicketItem[]> {
  const found: TicketItem[] = [];
  const range = { ...highestFirst(accountId), where: compare('status', '=', status) };
  for await (const page of queryPages(tickets, range)) {
    found.push(...page);
    if (found.length >= countLimit) break;
  }
  return found.slice(0, countLimit);
}

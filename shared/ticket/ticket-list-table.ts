import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { highestFirst, highestNumber, numberedRange } from '../aws/numbered.ts';
import { scanAll } from '../aws/read.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { Ticket, type TicketStatus } from './ticket.ts';

const countLimit = 10_000;

/** Newest first, with the exact total; of one status, `totalRecords` counts up to 10,000 and then says 10,000. */
export async function listTickets(
  accountId: string,
  { pageNumber, pageSize }: PageQuery,
  status?: TicketStatus,
): Promise<Page<Ticket>> {
  if (status) {
    const all = await filtered(accountId, status);
    const items = all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    return { items, pageNumber, pageSize, totalRecords: all.length };
  }
  const totalRecords = await highestNumber('tickets', accountId);
  const last = totalRecords - (pageNumber - 1) * pageSize;
  const first = Math.max(1, last - pageSize + 1);
  const items = last < 1 ? [] : await numberedRange('tickets', accountId, first, last);
  return { items: items.map(toTicket).reverse(), pageNumber, pageSize, totalRecords };
}

/** The tickets of all accounts, newest first; for the operator only, since it reads the whole table. */
export async function listAllTickets(): Promise<readonly (Ticket & { readonly accountId: string })[]> {
  const items = await scanAll({
    TableName: tableName('tickets'),
    FilterExpression: 'attribute_exists(subject)',
  });
  return items
    .map((item) => ({ accountId: String(item.accountId), ...toTicket(item) }))
    .sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
}

/** Every ticket of one status, newest first, up to the limit. */
async function filtered(accountId: string, status: TicketStatus): Promise<readonly Ticket[]> {
  const all = highestFirst('tickets', accountId);
  const query = {
    ...all,
    FilterExpression: '#status = :status',
    ExpressionAttributeNames: { ...all.ExpressionAttributeNames, '#status': 'status' },
    ExpressionAttributeValues: { ...all.ExpressionAttributeValues, ':status': status },
    ConsistentRead: true,
  };
  const found: Ticket[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = await dynamodb().send(new QueryCommand({ ...query, ExclusiveStartKey }));
    found.push(...(answer.Items ?? []).map(toTicket));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey && found.length < countLimit);
  return found.slice(0, countLimit);
}

/** In the fields' own order, without what only the table knows. */
function toTicket(item: unknown): Ticket {
  return Ticket.parse(item);
}

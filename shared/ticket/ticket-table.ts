import { isDeepStrictEqual } from 'node:util';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { findInSequence, replaceStep } from '../aws/sequence.ts';
import { table } from '../aws/table.ts';
import { transact } from '../aws/transaction.ts';
import { notFound } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { requireVersion } from '../http/if-match.ts';
import { Ticket, type UpdateTicket } from './ticket.ts';

export interface TicketItem extends Ticket {
  readonly accountId: string;
  readonly position: string;
}

export const tickets = table<'tickets', TicketItem>('tickets');

/** In the fields' own order, without what only the table knows. */
export function toTicket(item: TicketItem): Ticket {
  return Ticket.parse(item);
}

export const findTicketTouches = { tables: { tickets: ['GetItem'] } } as const satisfies Touches;

export async function findTicket(accountId: string, id: string): Promise<Ticket | undefined> {
  const item = isId(id) ? await findInSequence(tickets, accountId, id) : undefined;
  return item && toTicket(item);
}

export const getTicketTouches = findTicketTouches;

/** @throws ApiError `notFound`, the same for a ticket of another account as for none */
export async function getTicket(accountId: string, id: string): Promise<Ticket> {
  const ticket = await findTicket(accountId, id);
  if (!ticket) throw notFound('Ticket');
  return ticket;
}

/** A ticket's next version. */
export function nextVersion(ticket: Ticket, changes: Partial<Ticket>): Ticket {
  return {
    ...ticket,
    ...changes,
    updatedAt: new Date().toISOString(),
    version: ticket.version + 1,
  };
}

export const updateTicketTouches = touching(getTicketTouches, { tables: { tickets: ['PutItem'] } });

/**
 * Applies a merge patch; one that changes nothing writes nothing.
 * @throws ApiError `notFound`, or `conflict` for a stale version
 */
export function updateTicket(
  accountId: string,
  id: string,
  patch: UpdateTicket,
  ifMatch: number | undefined,
): Promise<Ticket> {
  return untilWritten(async () => {
    const before = await getTicket(accountId, id);
    requireVersion(before.version, ifMatch);
    if (isDeepStrictEqual({ ...before, ...patch }, before)) return before;
    const after = nextVersion(before, patch);
    const refused = await transact([replaceStep(tickets, accountId, after, before.version)]);
    return refused ? undefined : after;
  });
}

import { untilWritten } from '../aws/contention.ts';
import { findNumbered, replaceNumbered } from '../aws/numbered.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../http/api-error.ts';
import { requireVersion } from '../http/if-match.ts';
import { isId } from '../id.ts';
import { Ticket, ticketNotFound, type UpdateTicket } from './ticket.ts';

export const findTicket = async (accountId: string, id: string): Promise<Ticket | undefined> => {
  const item = isId(id) ? await findNumbered('tickets', accountId, id) : undefined;
  return item && Ticket.parse(item);
};

/** @throws ApiError `notFound`, the same for a ticket of another account as for none */
export const getTicket = async (accountId: string, id: string): Promise<Ticket> => {
  const ticket = await findTicket(accountId, id);
  if (!ticket) throw new ApiError('notFound', ticketNotFound);
  return ticket;
};

/** A ticket's next version. */
export const nextVersion = (ticket: Ticket, changes: Partial<Ticket>): Ticket => ({
  ...ticket,
  ...changes,
  updatedAt: new Date().toISOString(),
  version: ticket.version + 1,
});

/** @throws ApiError `notFound`, or `conflict` for a stale version */
export const updateTicket = (
  accountId: string,
  id: string,
  patch: UpdateTicket,
  ifMatch: number | undefined,
): Promise<Ticket> =>
  untilWritten(async () => {
    const before = await getTicket(accountId, id);
    requireVersion(before.version, ifMatch);
    const after = nextVersion(before, patch);
    const refused = await transact([replaceNumbered('tickets', accountId, after, before.version)]);
    return refused ? undefined : after;
  });

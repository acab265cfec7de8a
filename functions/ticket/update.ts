import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { Ticket, UpdateTicket } from '../../shared/ticket/ticket.ts';
import { updateTicket, updateTicketTouches } from '../../shared/ticket/ticket-table.ts';

export const endpoint = declareEndpoint({
  method: 'PATCH',
  path: '/api/tickets/{ticketId}',
  access: 'account',
  summary: 'Close a support ticket, open it again, or change its priority by a merge patch',
  description: 'What is left out stays as it is; neither field can be cleared.',
  failures: accountQueryFailures,
  query: AccountQuery,
  body: UpdateTicket,
  data: Ticket,
  touches: updateTicketTouches,
});

export const handler = serve(endpoint, async ({ caller, params, query, body, ifMatch }) => {
  requireOwnAccount(caller, query.accountId);
  return updateTicket(caller.accountId, params.ticketId, body, ifMatch);
});

import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { Ticket } from '../../shared/ticket/ticket.ts';
import { getTicket, getTicketTouches } from '../../shared/ticket/ticket-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/tickets/{ticketId}',
  access: 'account',
  summary: 'Read a support ticket',
  description: 'Its messages are read apart. The version is the ETag too.',
  failures: accountQueryFailures,
  query: AccountQuery,
  data: Ticket,
  touches: getTicketTouches,
});

export const handler = serve(endpoint, async ({ caller, params, query }) => {
  requireOwnAccount(caller, query.accountId);
  return getTicket(caller.accountId, params.ticketId);
});

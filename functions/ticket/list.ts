import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { Ticket, TicketStatus } from '../../shared/ticket/ticket.ts';
import { listTickets, listTicketsTouches } from '../../shared/ticket/ticket-list-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/tickets',
  access: 'account',
  summary: 'List the account’s support tickets, newest first',
  description:
    'The total is exact without a filter. With one totalRecords counts up to 10,000 and then says 10,000.',
  failures: accountQueryFailures,
  query: PageQuery.extend({
    ...AccountQuery.shape,
    status: TicketStatus.optional().describe(
      'Only these. totalRecords then counts up to 10,000 and says 10,000 for more.',
    ),
  }),
  data: Ticket,
  list: true,
  touches: listTicketsTouches,
});

export const handler = serve(endpoint, async ({ caller, query }) => {
  requireOwnAccount(caller, query.accountId);
  return listTickets(caller.accountId, query, query.status);
});

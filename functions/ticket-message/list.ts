import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { TicketMessage } from '../../shared/ticket/ticket-message.ts';
import { listMessages, listMessagesTouches } from '../../shared/ticket/ticket-message-table.ts';
import { getTicket, getTicketTouches } from '../../shared/ticket/ticket-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/tickets/{ticketId}/messages',
  access: 'account',
  summary: 'List a support ticket’s messages, oldest first',
  description: 'The total is exact.',
  failures: accountQueryFailures,
  query: PageQuery.extend(AccountQuery.shape),
  data: TicketMessage,
  list: true,
  touches: touching(getTicketTouches, listMessagesTouches),
});

export const handler = serve(endpoint, async ({ caller, params, query }) => {
  requireOwnAccount(caller, query.accountId);
  return listMessages(await getTicket(caller.accountId, params.ticketId), query);
});

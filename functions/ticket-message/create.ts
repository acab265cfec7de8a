import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { CreateTicketMessage, customer, TicketMessage } from '../../shared/ticket/ticket-message.ts';
import { addMessage, addMessageTouches } from '../../shared/ticket/ticket-message-table.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/tickets/{ticketId}/messages',
  access: 'account',
  summary: 'Write a message to support; a closed or pending ticket is open again',
  description: 'It raises the ticket’s version, and is counted in its messageCount.',
  failures: accountQueryFailures,
  query: AccountQuery,
  body: CreateTicketMessage,
  data: TicketMessage,
  created: true,
  touches: addMessageTouches,
});

export const handler = serve(endpoint, async ({ caller, params, query, body, operation }) => {
  requireOwnAccount(caller, query.accountId);
  return addMessage(caller.accountId, params.ticketId, customer(caller), body.body, operation.id);
});

import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { AccountQuery, accountQueryFailures, requireOwnAccount } from '../../shared/ticket/account-query.ts';
import { createTicket, createTicketTouches } from '../../shared/ticket/create-ticket.ts';
import { CreateTicket, Ticket } from '../../shared/ticket/ticket.ts';
import { customer } from '../../shared/ticket/ticket-message.ts';

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/tickets',
  access: 'account',
  summary: 'Open a support ticket with its first message',
  description: 'Support replies in the ticket’s messages. The number counts the account’s tickets.',
  failures: accountQueryFailures,
  query: AccountQuery,
  body: CreateTicket,
  data: Ticket,
  created: true,
  touches: createTicketTouches,
});

export const handler = serve(endpoint, async ({ caller, query, body, operation }) => {
  requireOwnAccount(caller, query.accountId);
  return createTicket(caller.accountId, body, customer(caller), operation.id);
});

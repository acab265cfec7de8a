import { newId } from '../../../shared/ground/id.ts';
import { Text } from '../../../shared/http/text.ts';
import { TicketStatus } from '../../../shared/ticket/ticket.ts';
import { listAllTickets } from '../../../shared/ticket/ticket-list-table.ts';
import { support } from '../../../shared/ticket/ticket-message.ts';
import { addMessage } from '../../../shared/ticket/ticket-message-table.ts';
import { type Command, type Flags, requireFlag, UsageError } from './command.ts';

export const ticketCommands: Readonly<Record<string, Command>> = {
  list: {
    summary: 'List the support tickets of all accounts, newest first',
    optional: ['status'],
    run: list,
  },
  reply: {
    summary: 'Write to a customer as support; the ticket is then pending',
    required: ['account', 'ticket', 'body'],
    run: reply,
  },
};

async function list(flags: Flags) {
  const status = TicketStatus.optional().safeParse(flags.status);
  if (!status.success) throw new UsageError(`--status must be one of ${TicketStatus.options.join(', ')}`);
  const tickets = await listAllTickets();
  return status.data ? tickets.filter((ticket) => ticket.status === status.data) : tickets;
}

async function reply(flags: Flags) {
  const body = Text.safeParse(requireFlag(flags, 'body'));
  if (!body.success) throw new UsageError(`--body ${body.error.issues[0]?.message ?? 'is not valid'}`);
  const [accountId, ticketId] = [requireFlag(flags, 'account'), requireFlag(flags, 'ticket')];
  return { accountId, ticketId, ...(await addMessage(accountId, ticketId, support, body.data, newId())) };
}

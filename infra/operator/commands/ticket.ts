import { newId } from '../../../shared/ground/id.ts';
import { exampleIds } from '../../../shared/http/examples.ts';
import { Text } from '../../../shared/http/text.ts';
import { TicketStatus } from '../../../shared/ticket/ticket.ts';
import { listAllTickets } from '../../../shared/ticket/ticket-list-table.ts';
import { support } from '../../../shared/ticket/ticket-message.ts';
import { addMessage, listMessages } from '../../../shared/ticket/ticket-message-table.ts';
import { getTicket } from '../../../shared/ticket/ticket-table.ts';
import { accountFlag, type Command, type Flags, Report, requireFlag, UsageError } from './command.ts';
import { ticketText } from './ticket-text.ts';

const ticketFlag = 'id of a ticket, as ticket list shows it';

export const ticketCommands: Readonly<Record<string, Command>> = {
  list: {
    summary: 'List the support tickets of all accounts, newest first',
    optional: { status: TicketStatus.options.join(', ') },
    example: '--status open',
    columns: { accountId: 'ACCOUNT', id: 'TICKET', status: 'STATUS', updatedAt: 'AGE', subject: 'SUBJECT' },
    run: list,
  },
  show: {
    summary: 'Show a ticket with all its messages, oldest first',
    required: { account: accountFlag, ticket: ticketFlag },
    example: `--account ${exampleIds.account} --ticket ${exampleIds.ticket}`,
    run: show,
  },
  reply: {
    summary: 'Reply to a customer; the ticket is then pending',
    required: { account: accountFlag, ticket: ticketFlag, body: '1 to 10,000 characters, newlines included' },
    example: `--account ${exampleIds.account} --ticket ${exampleIds.ticket} --body 'It is fixed.'`,
    run: reply,
  },
};

async function list(flags: Flags) {
  const status = TicketStatus.optional().safeParse(flags.status);
  if (!status.success) throw new UsageError(`--status must be one of ${TicketStatus.options.join(', ')}`);
  const tickets = await listAllTickets();
  return status.data ? tickets.filter((ticket) => ticket.status === status.data) : tickets;
}

async function show(flags: Flags) {
  const accountId = requireFlag(flags, 'account');
  const ticket = await getTicket(accountId, requireFlag(flags, 'ticket'));
  const all = { pageNumber: 1, pageSize: ticket.messageCount };
  const { items: messages } = await listMessages(ticket, all);
  return new Report({ accountId, ...ticket, messages }, () => ticketText(ticket, messages));
}

async function reply(flags: Flags) {
  const body = Text.safeParse(requireFlag(flags, 'body'));
  if (!body.success) throw new UsageError(`--body ${body.error.issues[0]?.message ?? 'is not valid'}`);
  const [accountId, ticketId] = [requireFlag(flags, 'account'), requireFlag(flags, 'ticket')];
  return { accountId, ticketId, ...(await addMessage(accountId, ticketId, support, body.data, newId())) };
}

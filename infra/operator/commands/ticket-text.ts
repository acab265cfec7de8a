import type { Ticket } from '../../../shared/ticket/ticket.ts';
import type { TicketMessage } from '../../../shared/ticket/ticket-message.ts';
import { ageOf } from '../text/age.ts';

/** A ticket as one reads it: what it is about, and what was written, oldest first. */
export function ticketText(ticket: Ticket, messages: readonly TicketMessage[]): string {
  const { number, subject, status, priority, category, propertyId } = ticket;
  const facts = [status, `priority ${priority}`, category, ...(propertyId ? [`property ${propertyId}`] : [])];
  return [`#${number} ${subject}`, facts.join(', '), ...messages.flatMap(messageLines)]
    .map((line) => `${line}\n`)
    .join('');
}

function messageLines({ author, authorName, createdAt, body }: TicketMessage): readonly string[] {
  const from = author === 'support' ? authorName : `${authorName} (${author})`;
  return [
    '',
    `${from}, ${ageOf(createdAt)} ago, ${createdAt}`,
    ...body.split('\n').map((line) => `  ${line}`),
  ];
}

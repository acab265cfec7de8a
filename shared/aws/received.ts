import type { SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import type { NonEmpty } from '../ground/non-empty.ts';

/** A record of a queue's event, with the message in it or why that cannot be read. */
export type Received<Message> = { readonly record: SQSRecord } & (
  | { readonly message: Message }
  | { readonly fault: unknown }
);

/**
 * The records in groups that are worked on together, so that one that fails takes no other with it; what cannot be read
 * is a group by itself.
 * @param groupName the same for messages of one group
 */
export function receivedGroups<Message>(
  records: readonly SQSRecord[],
  schema: z.ZodType<Message>,
  groupName: (message: Message) => string,
): readonly NonEmpty<Received<Message>>[] {
  const received = records.map((record) => read(record, schema));
  const nameOf = (each: Received<Message>): string =>
    'message' in each ? groupName(each.message) : each.record.messageId;
  return [...Map.groupBy(received, nameOf).values()].flatMap(([first, ...others]) =>
    first ? [[first, ...others] as const] : [],
  );
}

/** @throws Error for a message that cannot be read */
export function messagesOf<Message>([first, ...others]: NonEmpty<Received<Message>>): NonEmpty<Message> {
  return [messageIn(first), ...others.map(messageIn)];
}

function read<Message>(record: SQSRecord, schema: z.ZodType<Message>): Received<Message> {
  try {
    return { record, message: schema.parse(JSON.parse(record.body)) };
  } catch (fault) {
    return { record, fault };
  }
}

function messageIn<Message>(received: Received<Message>): Message {
  if ('message' in received) return received.message;
  throw new Error('the message cannot be read', { cause: received.fault });
}

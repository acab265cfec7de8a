import { namesOf } from '../../../shared/ground/names.ts';
import { type QueueName, queues } from '../../../shared/ground/resources.ts';
import { PurgeMessage } from '../../../shared/purge/purge-queue.ts';
import { physicalDeadLetterQueueName, physicalQueueName } from '../../definition/physical-names.ts';
import { moveTo, queueUrlOf, type ReceivedMessage, receiveAll, release } from '../aws/queue-messages.ts';
import type { Command, Flags, Row } from './command.ts';

const longestExcerpt = 200;

export const purgeCommands: Readonly<Record<string, Command>> = {
  failed: {
    summary: 'List the work that was given up after many attempts and waits in a dead-letter queue',
    run: failed,
  },
  replay: {
    summary: 'Put failed work, one piece or all, into its queue again',
    optional: ['id'],
    run: replay,
  },
};

function failed(_: Flags, stack: string): Promise<readonly Row[]> {
  return inEachQueue(stack, async (queue, url) => {
    const messages = await receiveAll(url);
    await release(url, messages);
    return messages.map((message) => rowOf(queue, message));
  });
}

/** In all at once, since an empty queue takes a second to say so. */
async function inEachQueue<Result>(
  stack: string,
  work: (queue: QueueName, deadLettersUrl: string) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results = await Promise.all(
    namesOf(queues).map(async (queue) =>
      work(queue, await queueUrlOf(physicalDeadLetterQueueName(stack, queue))),
    ),
  );
  return results.flat();
}

function rowOf(queue: QueueName, message: ReceivedMessage): Row {
  const id = idOf(message);
  const purge = purgeIn(message.body);
  if (!purge) return { id, queue: queues[queue].name, body: message.body.slice(0, longestExcerpt) };
  const { accountId, propertyId, type, jobCount, createdAt } = purge;
  return { id, queue: queues[queue].name, accountId, propertyId, type, jobCount, createdAt };
}

/** A message is known by its purge’s id, and one that holds none by its own. */
function idOf({ id, body }: ReceivedMessage): string {
  return purgeIn(body)?.id ?? id;
}

function purgeIn(body: string): PurgeMessage['purge'] | undefined {
  try {
    return PurgeMessage.parse(JSON.parse(body)).purge;
  } catch {
    return undefined;
  }
}

async function replay({ id }: Flags, stack: string): Promise<Row> {
  const replayed = await inEachQueue(stack, async (queue, url) => {
    const messages = await receiveAll(url);
    const chosen = messages.filter((message) => id === undefined || idOf(message) === id);
    await release(
      url,
      messages.filter((message) => !chosen.includes(message)),
    );
    const target = await queueUrlOf(physicalQueueName(stack, queue));
    for (const message of chosen) await moveTo(url, target, message);
    return chosen;
  });
  if (id !== undefined && replayed.length === 0)
    throw new Error(`There is no failed work with the id ${id}.`);
  return { replayed: replayed.length };
}

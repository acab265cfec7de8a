import { namesOf } from '../../../shared/ground/names.ts';
import { type QueueName, queues } from '../../../shared/ground/resources.ts';
import { readLimit } from '../../../shared/purge/newest-purges.ts';
import { PurgeMessage } from '../../../shared/purge/purge-queue.ts';
import { PurgeStatus } from '../../../shared/purge/purge-record.ts';
import { physicalDeadLetterQueueName, physicalQueueName } from '../../definition/physical-names.ts';
import { moveTo, queueUrlOf, type ReceivedMessage, receiveAll, release } from '../aws/queue-messages.ts';
import { accountFlag, type Command, type Context, type Flags, type Row } from './command.ts';
import { listPurges, purgeColumns } from './purge-list.ts';

const longestExcerpt = 200;

export const purgeCommands: Readonly<Record<string, Command>> = {
  list: {
    summary: 'List the newest purges, of all accounts or one',
    details: `Reads at most ${readLimit.toLocaleString('en')} records, and says when there are more.`,
    optional: { account: accountFlag, status: PurgeStatus.options.join(', ') },
    example: '--status failed',
    columns: purgeColumns,
    run: listPurges,
  },
  failed: {
    summary: 'List the work that was given up after many attempts',
    details: 'It waits in the dead-letter queues for 14 days.',
    columns: {
      id: 'ID',
      queue: 'QUEUE',
      propertyId: 'PROPERTY',
      type: 'TYPE',
      createdAt: 'AGE',
      body: 'BODY',
    },
    run: failed,
  },
  replay: {
    summary: 'Put failed work, one piece or all, into its queue again',
    optional: { id: 'id of a piece, as purge failed shows it; all by default' },
    run: replay,
  },
};

function failed(_: Flags, { stack, progress }: Context): Promise<readonly Row[]> {
  const isRead = counting((count) => progress(`${count} pieces of failed work read`));
  return inEachQueue(stack, async (queue, url) => {
    const messages = await receiveAll(url, isRead);
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

async function replay({ id }: Flags, { stack, progress }: Context): Promise<Row> {
  const isRead = counting((count) => progress(`${count} pieces of failed work read`));
  const isMoved = counting((count) => progress(`${count} pieces of failed work replayed`));
  const replayed = await inEachQueue(stack, async (queue, url) => {
    const messages = await receiveAll(url, isRead);
    const chosen = messages.filter((message) => id === undefined || idOf(message) === id);
    await release(
      url,
      messages.filter((message) => !chosen.includes(message)),
    );
    const target = await queueUrlOf(physicalQueueName(stack, queue));
    for (const message of chosen) {
      await moveTo(url, target, message);
      isMoved(1);
    }
    return chosen;
  });
  if (id !== undefined && replayed.length === 0)
    throw new Error(`There is no failed work with the id ${id}.`);
  return { replayed: replayed.length };
}

/** Of what is done in all queues at once. */
function counting(tell: (count: number) => void): (more: number) => void {
  let count = 0;
  return (more) => {
    count += more;
    tell(count);
  };
}

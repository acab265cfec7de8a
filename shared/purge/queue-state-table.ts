import { getItem, putItem, table } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';

interface QueueStateItem {
  readonly queue: string;
  readonly emptyAt: string;
}

const queueStates = table<'queueStates', QueueStateItem>('queueStates');
const queue = 'purge';

export const noteQueueEmptyTouches = { tables: { queueStates: ['PutItem'] } } as const satisfies Touches;

/** Notes that no message was waiting, in hand or put off. */
export async function noteQueueEmpty(now: Date): Promise<void> {
  await putItem(queueStates, { queue, emptyAt: now.toISOString() });
}

export const getQueueEmptyAtTouches = { tables: { queueStates: ['GetItem'] } } as const satisfies Touches;

/** When the queue was last seen without any message; undefined before the first time. */
export async function getQueueEmptyAt(): Promise<string | undefined> {
  return (await getItem(queueStates, { queue }))?.emptyAt;
}

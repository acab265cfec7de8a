import { isDue } from '../shared/edge/behind.ts';
import { listEdgeStates } from '../shared/edge/edge-table.ts';
import type { FunctionDeclaration } from '../shared/function.ts';
import { sendCatchUp } from '../shared/purge/catch-up-queue.ts';
import { isQueueEmpty } from '../shared/purge/purge-queue.ts';
import { noteQueueEmpty } from '../shared/purge/queue-state-table.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 15,
  touches: {
    tables: { edges: ['Query'], purges: ['PutItem'] },
    queues: { purge: ['GetQueueAttributes'], catchUp: ['SendMessage'] },
  },
  everyMinute: true,
};

const askForCatchUps = async (now: Date): Promise<void> => {
  const due = (await listEdgeStates()).filter((edge) => isDue(edge, now));
  await Promise.all(due.map(({ id }) => sendCatchUp(id, 0)));
};

const noteState = async (now: Date): Promise<void> => {
  if (await isQueueEmpty()) await noteQueueEmpty(now);
};

/** Sees to it that every edge which is behind is caught up, even when no purge comes and no message is left. */
export const handler = async (): Promise<void> => {
  const now = new Date();
  await Promise.all([askForCatchUps(now), noteState(now)]);
};

import { type EdgeState, edgeBehindMessage, isDue } from '../shared/edge/behind.ts';
import { listEdgeStates } from '../shared/edge/edge-table.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
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

/** By then somebody should look at the edge. */
const alarmingMilliseconds = 15 * 60 * 1000;

/** Sees to it that every edge which is behind is caught up, even when no purge comes and no message is left. */
export async function handler(): Promise<void> {
  const now = new Date();
  await Promise.all([askForCatchUps(now), noteState(now)]);
}

async function askForCatchUps(now: Date): Promise<void> {
  const edges = await listEdgeStates();
  warnOf(edges, now);
  const due = edges.filter((edge) => isDue(edge, now));
  await Promise.all(due.map(({ id }) => sendCatchUp(id, 0)));
}

/** The stack's alarm counts these lines. */
function warnOf(edges: readonly (EdgeState & { readonly id: string })[], now: Date): void {
  for (const { id, behind } of edges) {
    if (!behind || behind.kind === 'waiting') continue;
    if (now.getTime() - Date.parse(behind.since) < alarmingMilliseconds) continue;
    const { since, reason } = behind;
    console.warn(JSON.stringify({ level: 'warn', message: edgeBehindMessage, edgeId: id, since, reason }));
  }
}

async function noteState(now: Date): Promise<void> {
  if (await isQueueEmpty()) await noteQueueEmpty(now);
}

import { sendCatchUp, sendCatchUpTouches } from '../shared/catch-up/catch-up-queue.ts';
import { edgesWithHints, edgesWithHintsTouches } from '../shared/catch-up/hint-table.ts';
import { type EdgeState, edgeLaggingMessage, isDue } from '../shared/edge/lagging.ts';
import { allEdges, allEdgesTouches, isConfigured, isInService } from '../shared/edge/registry.ts';
import { type EdgeItem, stateOf } from '../shared/edge/registry-table.ts';
import {
  configLaggingMessage,
  configLags,
  configLagsTouches,
  noteChanges,
  noteChangesTouches,
} from '../shared/edge-config/config-lag.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';
import { touching } from '../shared/ground/touches.ts';
import { isQueueEmpty, isQueueEmptyTouches } from '../shared/purge/purge-queue.ts';
import { noteQueueEmpty, noteQueueEmptyTouches } from '../shared/purge/queue-state-table.ts';

export const declaration: FunctionDeclaration = {
  timeoutSeconds: 15,
  touches: touching(
    allEdgesTouches,
    edgesWithHintsTouches,
    sendCatchUpTouches,
    noteChangesTouches,
    configLagsTouches,
    isQueueEmptyTouches,
    noteQueueEmptyTouches,
  ),
  everyMinute: true,
};

/** By then somebody should look at the edge. */
const alarmingMilliseconds = 15 * 60 * 1000;
/** Edges poll each minute, and whoever changes a property waits for it. */
const configAlarmingMilliseconds = 5 * 60 * 1000;

/**
 * Sees to it that every edge which lags is caught up, even when no purge comes and no message is left, and that nobody
 * has to look for those that stay behind.
 */
export async function handler(): Promise<void> {
  const now = new Date();
  const edges = await allEdges();
  await Promise.all([
    askForCatchUps(edges, now),
    watchConfig(edges.filter(isInService), now),
    noteState(now),
  ]);
}

async function askForCatchUps(edges: readonly EdgeItem[], now: Date): Promise<void> {
  const withHints = await edgesWithHints();
  const states = new Map(edges.map((edge) => [edge.id, stateOf(edge)]));
  warnOf(states, now);
  const lagging = [...states].filter(([, { lagging, removedAt }]) => lagging ?? removedAt);
  const ids = new Set([...withHints, ...lagging.map(([id]) => id)]);
  const due = [...ids].filter((id) => isDue(states.get(id) ?? {}, now));
  await Promise.all(due.map((id) => sendCatchUp(id, 0)));
}

/** The stack's alarm counts these lines. */
function warnOf(states: ReadonlyMap<string, EdgeState>, now: Date): void {
  for (const [id, { lagging }] of states) {
    if (!lagging || now.getTime() - Date.parse(lagging.since) < alarmingMilliseconds) continue;
    const { since, reason } = lagging;
    log('warn', edgeLaggingMessage, { edgeId: id, since, reason });
  }
}

/** The stack's alarm counts these lines too. */
async function watchConfig(edges: readonly EdgeItem[], now: Date): Promise<void> {
  if (!edges.some(isConfigured)) return;
  await noteChanges(now);
  for (const [edgeId, since] of await configLags(edges)) {
    if (since === null || now.getTime() - Date.parse(since) < configAlarmingMilliseconds) continue;
    log('warn', configLaggingMessage, { edgeId, since });
  }
}

async function noteState(now: Date): Promise<void> {
  if (await isQueueEmpty()) await noteQueueEmpty(now);
}

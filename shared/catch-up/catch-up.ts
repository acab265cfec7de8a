import { isDirect } from '../edge/backends.ts';
import { batchDrivers, batchDriversTouches } from '../edge/batch-drivers.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { drivers } from '../edge/drivers.ts';
import { listEdgesTouches, listRegisteredEdges, type RegisteredEdge } from '../edge/edge-table.ts';
import { isDue } from '../edge/lagging.ts';
import {
  changeEdgeStateTouches,
  claimAttempt,
  endLagging,
  forgetEdge,
  forgetEdgeTouches,
  settle,
} from '../edge/lagging-table.ts';
import { touching } from '../ground/touches.ts';
import { tryLater, tryLaterTouches } from './catch-up-later.ts';
import { catchUpProperty, catchUpPropertyTouches } from './catch-up-property.ts';
import { type CatchUpWork, InProgress, isBatchFailure, patientMilliseconds } from './catch-up-work.ts';
import { listAllHints, listAllHintsTouches } from './hints.ts';

/** Purges are kept for 30 days, and nobody knows any more what an edge missed that was away for longer. */
const longestAwayMilliseconds = 29 * 24 * 3600 * 1000;

const tooLongAway =
  'the edge was away for longer than purges are kept: empty its cache, remove it and add it again';

export const catchUpTouches = touching(
  listEdgesTouches,
  changeEdgeStateTouches,
  batchDriversTouches,
  listAllHintsTouches,
  catchUpPropertyTouches,
  forgetEdgeTouches,
  tryLaterTouches,
);

/**
 * Brings one edge everything it has missed, and only then counts it as current again; one that is still away is
 * tried later and later. Does nothing for an edge that is current, or that somebody else is catching up.
 * @param messageId of the message that asks for it
 * @param until milliseconds of Unix time; what is left then is taken up again at once
 */
export async function catchUp(edgeId: string, messageId: string, until: number): Promise<void> {
  const now = new Date();
  const registered = await listRegisteredEdges();
  const found = registered.find(({ id }) => id === edgeId);
  const edge = found && isDue(found, now, messageId) ? await claim(found, messageId, now) : undefined;
  if (!edge) return;
  const work = { edge, edges: registered.filter(({ removedAt }) => !removedAt), until };
  try {
    await probe(edge);
    if (edge.lagging) {
      await workOffHints(work);
      await endLagging(edgeId, edge.hintSet);
    }
    await settleHints(work);
  } catch (error) {
    await tryLater(work, error);
  }
}

async function claim(
  edge: RegisteredEdge,
  messageId: string,
  now: Date,
): Promise<RegisteredEdge | undefined> {
  // Letting go asks nothing of the edge itself, and need not wait for its next attempt.
  if (!edge.lagging || edge.removedAt) return edge;
  const claimed = await claimAttempt(edge.id, messageId, now);
  return claimed && { ...edge, ...claimed, secret: edge.secret };
}

async function probe(edge: RegisteredEdge): Promise<void> {
  if (edge.removedAt) return;
  const { since } = edge.lagging ?? {};
  if (isDirect(edge.driver) && since && Date.now() - Date.parse(since) > longestAwayMilliseconds)
    throw new EdgeFailure('denied', tooLongAway);
  await (isDirect(edge.driver) ? drivers[edge.driver] : batchDrivers[edge.driver]).check(
    edge,
    patientMilliseconds,
  );
}

/** Property by property. */
async function workOffHints(work: CatchUpWork): Promise<void> {
  let isDone = true;
  let failure: EdgeFailure | undefined;
  for (const hint of await listAllHints(work.edge)) {
    try {
      isDone = (await catchUpProperty(work, hint)) && isDone;
    } catch (error) {
      if (!isBatchFailure(work, error)) throw error;
      failure ??= error;
    }
  }
  if (!isDone) throw new InProgress(failure);
  if (failure) throw failure;
}

/** Once more, now that no hints are added any more: what was noted during the first time. */
async function settleHints(work: CatchUpWork): Promise<void> {
  const { id, hintSet, lagging, removedAt } = work.edge;
  await workOffHints(work);
  if (removedAt) await forgetEdge(id);
  else await settle(id, lagging ? hintSet + 1 : hintSet);
}

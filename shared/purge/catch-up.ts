import { isDirect } from '../edge/backends.ts';
import { batchDrivers } from '../edge/batch-drivers.ts';
import { isDue } from '../edge/behind.ts';
import { claimAttempt, endBehind, forgetEdge, settle } from '../edge/behind-table.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { drivers } from '../edge/drivers.ts';
import { listRegisteredEdges, type RegisteredEdge } from '../edge/edge-table.ts';
import { tryLater } from './catch-up-later.ts';
import { catchUpProperty } from './catch-up-property.ts';
import { type CatchUpWork, isBatchFailure, patientMilliseconds, StillWorking } from './catch-up-work.ts';
import { listAllMissed } from './missed.ts';

/** Purges are kept for 30 days, and nobody knows any more what an edge missed that was away for longer. */
const longestAwayMilliseconds = 29 * 24 * 3600 * 1000;

const tooLongAway =
  'the edge was away for longer than purges are kept: empty its cache, remove it and add it again';

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
    if (edge.behind) {
      await workOffBacklogs(work);
      await endBehind(edgeId, edge.backlog);
    }
    await settleBacklogs(work);
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
  if (!edge.behind || edge.removedAt) return edge;
  const claimed = await claimAttempt(edge.id, messageId, now);
  return claimed && { ...edge, ...claimed, secret: edge.secret };
}

async function probe(edge: RegisteredEdge): Promise<void> {
  if (edge.removedAt) return;
  const { since } = edge.behind ?? {};
  if (isDirect(edge.driver) && since && Date.now() - Date.parse(since) > longestAwayMilliseconds)
    throw new EdgeFailure('denied', tooLongAway);
  await (isDirect(edge.driver) ? drivers[edge.driver] : batchDrivers[edge.driver]).check(
    edge,
    patientMilliseconds,
  );
}

/** Property by property. */
async function workOffBacklogs(work: CatchUpWork): Promise<void> {
  let isDone = true;
  let failure: EdgeFailure | undefined;
  for (const missed of await listAllMissed(work.edge)) {
    try {
      isDone = (await catchUpProperty(work, missed)) && isDone;
    } catch (error) {
      if (!isBatchFailure(work, error)) throw error;
      failure ??= error;
    }
  }
  if (!isDone) throw new StillWorking(failure);
  if (failure) throw failure;
}

/** Once more, now that nothing is added to the backlogs any more: what was noted during the first time. */
async function settleBacklogs(work: CatchUpWork): Promise<void> {
  const { id, backlog, behind, removedAt } = work.edge;
  await workOffBacklogs(work);
  if (removedAt) await forgetEdge(id);
  else await settle(id, behind ? backlog + 1 : backlog);
}

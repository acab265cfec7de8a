import { isDirect } from '../edge/backends.ts';
import { EdgeFailure } from '../edge/driver.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { type LaggingCause, laggingCause, laterThan, retryDelaySeconds } from '../edge/lagging.ts';
import {
  changeEdgeStateTouches,
  markLagging,
  markLaggingTouches,
  putOff,
  rotate,
  settle,
} from '../edge/lagging-table.ts';
import { touching } from '../ground/touches.ts';
import { catchUpPropertyTouches, firstOpen, showFailure } from './catch-up-property.ts';
import { sendCatchUp, sendCatchUpTouches } from './catch-up-queue.ts';
import { type CatchUpWork, Continue, InProgress, isBatchFailure } from './catch-up-work.ts';
import { putHint, putHintTouches } from './hint-table.ts';
import { listAllHints, listAllHintsTouches } from './hints.ts';

/** How soon a backend that works in batches is asked again whether it is done. */
const pollSeconds = 2;

const rotatedAfterMilliseconds = 10 * 60 * 1000;

export const tryLaterTouches = touching(
  catchUpPropertyTouches,
  listAllHintsTouches,
  changeEdgeStateTouches,
  putHintTouches,
  markLaggingTouches,
  sendCatchUpTouches,
);

/** Leaves an edge that is not yet current to the next attempt. */
export async function tryLater(work: CatchUpWork, error: unknown): Promise<void> {
  const { edge } = work;
  const isExpected = error instanceof Continue || error instanceof InProgress || error instanceof EdgeFailure;
  if (!isExpected) throw error;
  const failure = error instanceof InProgress ? error.failure : error;
  if (isBatchFailure(work, failure)) await showWhyWaiting(work, failure);
  if (!isDirect(edge.driver) && !edge.removedAt) await carryOver(work);
  const cause = causeOf(edge, error);
  const attempts = error instanceof EdgeFailure ? (edge.lagging?.attempts ?? 1) : 0;
  const delaySeconds = nextDelaySeconds(error, attempts);
  const now = new Date();
  const next = {
    kind: cause.kind,
    reason: cause.reason,
    attempts,
    nextAttemptAt: laterThan(now, delaySeconds),
  };
  const isLagging = (await putOff(edge.id, next)) !== undefined;
  if (!isLagging && cause.kind !== 'waiting') await markLagging(edge.id, cause, now);
  await sendCatchUp(edge.id, delaySeconds);
}

/** Nobody but the catch-up asks for these purges, so that nobody else can show why they are not started. */
async function showWhyWaiting(work: CatchUpWork, failure: EdgeFailure): Promise<void> {
  for (const hint of await listAllHints(work.edge)) await showFailure(work, hint, failure);
}

/**
 * Moves what is still open into a hint set of its own, so that an edge which always has some work under way is not
 * shown all its purges again each time.
 */
async function carryOver({ edge }: CatchUpWork): Promise<void> {
  const { id, hintSet, lagging } = edge;
  const now = new Date();
  const latest = lagging?.rotatedAt ?? lagging?.since;
  if (!latest || now.getTime() - Date.parse(latest) < rotatedAfterMilliseconds) return;
  if (!(await rotate(id, hintSet, now))) return;
  for (const hint of await listAllHints(edge)) {
    const open = await firstOpen(edge, hint);
    if (open) await putHint({ edgeId: id, number: hintSet + 1 }, open, now);
  }
  await settle(id, hintSet + 1);
}

/** An edge that is asked at once lags because it failed, whatever keeps it from being caught up at the moment. */
function causeOf(
  { driver, lagging }: RegisteredEdge,
  error: Continue | InProgress | EdgeFailure,
): LaggingCause {
  const known = isDirect(driver) ? lagging : undefined;
  const failure = error instanceof InProgress ? error.failure : error;
  return (
    (failure instanceof EdgeFailure && laggingCause(failure)) ||
    known || { kind: 'waiting', reason: error.message }
  );
}

function nextDelaySeconds(error: Continue | InProgress | EdgeFailure, attempts: number): number {
  if (error instanceof Continue) return 0;
  return error instanceof InProgress ? pollSeconds : retryDelaySeconds(attempts);
}

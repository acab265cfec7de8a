import { isDirect } from '../edge/backends.ts';
import { type Behind, behindFor, laterThan, retryDelaySeconds } from '../edge/behind.ts';
import { markBehind, putOff, rotate, settle } from '../edge/behind-table.ts';
import { EdgeFailure } from '../edge/driver.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { noteMissed } from './backlog-table.ts';
import { firstOpen, showFailure } from './catch-up-property.ts';
import { sendCatchUp } from './catch-up-queue.ts';
import { BeginAnew, type CatchUpWork, isBatchFailure, StillWorking } from './catch-up-work.ts';
import { listAllMissed } from './missed.ts';

/** How soon a backend that works in batches is asked again whether it is done. */
const pollSeconds = 2;

const rotatedAfterMilliseconds = 10 * 60 * 1000;

/** Leaves an edge that is not yet current to the next attempt. */
export async function tryLater(work: CatchUpWork, error: unknown): Promise<void> {
  const { edge } = work;
  const isExpected =
    error instanceof BeginAnew || error instanceof StillWorking || error instanceof EdgeFailure;
  if (!isExpected) throw error;
  const failure = error instanceof StillWorking ? error.failure : error;
  if (isBatchFailure(work, failure)) await showWhyWaiting(work, failure);
  if (!isDirect(edge.driver) && !edge.removedAt) await carryOver(work);
  const cause = causeOf(edge, error);
  const attempts = error instanceof EdgeFailure ? (edge.behind?.attempts ?? 1) : 0;
  const delaySeconds = nextDelaySeconds(error, attempts);
  const now = new Date();
  const next = {
    kind: cause.kind,
    reason: cause.reason,
    attempts,
    nextAttemptAt: laterThan(now, delaySeconds),
  };
  const isBehind = (await putOff(edge.id, next)) !== undefined;
  if (!isBehind && cause.kind !== 'waiting') await markBehind(edge.id, cause, now);
  await sendCatchUp(edge.id, delaySeconds);
}

/** Nobody but the catch-up asks for these purges, so that nobody else can show why they are not begun. */
async function showWhyWaiting(work: CatchUpWork, failure: EdgeFailure): Promise<void> {
  for (const missed of await listAllMissed(work.edge)) await showFailure(work, missed, failure);
}

/**
 * Moves what is still open into a backlog of its own, so that an edge which always has some work under way is not
 * shown all its purges again each time.
 */
async function carryOver({ edge }: CatchUpWork): Promise<void> {
  const { id, backlog, behind } = edge;
  const now = new Date();
  const latest = behind?.rotatedAt ?? behind?.since;
  if (!latest || now.getTime() - Date.parse(latest) < rotatedAfterMilliseconds) return;
  if (!(await rotate(id, backlog, now))) return;
  for (const missed of await listAllMissed(edge)) {
    const open = await firstOpen(edge, missed);
    if (open) await noteMissed({ edgeId: id, backlog: backlog + 1 }, open, now);
  }
  await settle(id, backlog + 1);
}

/** An edge that is asked at once is behind because it failed, whatever keeps it from being caught up at the moment. */
function causeOf(
  { driver, behind }: RegisteredEdge,
  error: BeginAnew | StillWorking | EdgeFailure,
): Pick<Behind, 'kind' | 'reason'> {
  const known = isDirect(driver) ? behind : undefined;
  const failure = error instanceof StillWorking ? error.failure : error;
  return (
    (failure instanceof EdgeFailure && behindFor(failure)) ||
    known || { kind: 'waiting', reason: error.message }
  );
}

function nextDelaySeconds(error: BeginAnew | StillWorking | EdgeFailure, attempts: number): number {
  if (error instanceof BeginAnew) return 0;
  return error instanceof StillWorking ? pollSeconds : retryDelaySeconds(attempts);
}

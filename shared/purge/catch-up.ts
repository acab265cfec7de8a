import { isDirect } from '../edge/backends.ts';
import { batchDrivers } from '../edge/batch-drivers.ts';
import { type Behind, behindFor, isDue, laterThan, retryDelaySeconds } from '../edge/behind.ts';
import { claimAttempt, endBehind, forgetEdge, markBehind, putOff, settle } from '../edge/behind-table.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { drivers } from '../edge/drivers.ts';
import { listRegisteredEdges, type RegisteredEdge } from '../edge/edge-table.ts';
import { catchUpProperty, showFailure } from './catch-up-property.ts';
import { sendCatchUp } from './catch-up-queue.ts';
import { BeginAnew, type CatchUpWork, patientMilliseconds } from './catch-up-work.ts';
import { listAllMissed } from './missed.ts';

/** How soon a backend that works in batches is asked again whether it is done. */
const pollSeconds = 5;

/** A batch is under way. */
class StillWorking extends Error {}

/** Purges are kept for 30 days, and nobody knows any more what an edge missed that was away for longer. */
const longestAwayMilliseconds = 29 * 24 * 3600 * 1000;

const tooLongAway = new EdgeFailure(
  'denied',
  'the edge was away for longer than purges are kept: empty its cache, remove it and add it again',
);

const probe = async (edge: RegisteredEdge): Promise<void> => {
  if (edge.removedAt) return;
  const { since } = edge.behind ?? {};
  if (isDirect(edge.driver) && since && Date.now() - Date.parse(since) > longestAwayMilliseconds)
    throw tooLongAway;
  await (isDirect(edge.driver) ? drivers[edge.driver] : batchDrivers[edge.driver]).check(
    edge,
    patientMilliseconds,
  );
};

/** Of a backend that is asked in batches: full for one it may still take another, and has others under way. */
const isBatchFailure = ({ edge }: CatchUpWork, error: unknown): error is EdgeFailure =>
  !isDirect(edge.driver) && error instanceof EdgeFailure;

/** Property by property. */
const workOffBacklogs = async (work: CatchUpWork): Promise<void> => {
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
  if (failure) throw failure;
  if (!isDone) throw new StillWorking('the backend is working on it');
};

/** Once more, now that nothing is added to the backlogs any more: what was noted during the first time. */
const settleBacklogs = async (work: CatchUpWork): Promise<void> => {
  const { id, backlog, behind, removedAt } = work.edge;
  await workOffBacklogs(work);
  if (removedAt) await forgetEdge(id);
  else await settle(id, behind ? backlog + 1 : backlog);
};

const nextDelaySeconds = (error: BeginAnew | StillWorking | EdgeFailure, attempts: number): number => {
  if (error instanceof BeginAnew) return 0;
  return error instanceof StillWorking ? pollSeconds : retryDelaySeconds(attempts);
};

const causeOf = (error: BeginAnew | StillWorking | EdgeFailure): Pick<Behind, 'kind' | 'reason'> =>
  (error instanceof EdgeFailure && behindFor(error)) || { kind: 'waiting', reason: error.message };

/** Nobody but the catch-up asks for these purges, so that nobody else can show why they are not begun. */
const showWhyWaiting = async (work: CatchUpWork, failure: EdgeFailure): Promise<void> => {
  for (const missed of await listAllMissed(work.edge)) await showFailure(work, missed, failure);
};

/** Leaves an edge that is not yet current to the next attempt. */
const tryLater = async (work: CatchUpWork, error: unknown): Promise<void> => {
  const { edge } = work;
  const isExpected =
    error instanceof BeginAnew || error instanceof StillWorking || error instanceof EdgeFailure;
  if (!isExpected) throw error;
  if (isBatchFailure(work, error)) await showWhyWaiting(work, error);
  const cause = causeOf(error);
  const attempts = error instanceof EdgeFailure ? (edge.behind?.attempts ?? 1) : 0;
  const delaySeconds = nextDelaySeconds(error, attempts);
  const now = new Date();
  const next = { ...cause, attempts, nextAttemptAt: laterThan(now, delaySeconds) };
  const isBehind = (await putOff(edge.id, next)) !== undefined;
  if (!isBehind && cause.kind !== 'waiting') await markBehind(edge.id, cause, now);
  await sendCatchUp(edge.id, delaySeconds);
};

const claim = async (
  edge: RegisteredEdge,
  messageId: string,
  now: Date,
): Promise<RegisteredEdge | undefined> => {
  // Letting go asks nothing of the edge itself, and need not wait for its next attempt.
  if (!edge.behind || edge.removedAt) return edge;
  const claimed = await claimAttempt(edge.id, messageId, now);
  return claimed && { ...edge, ...claimed, secret: edge.secret };
};

/**
 * Brings one edge everything it has missed, and only then counts it as current again; one that is still away is
 * tried later and later. Does nothing for an edge that is current, or that somebody else is catching up.
 * @param messageId of the message that asks for it
 * @param until milliseconds of Unix time; what is left then is taken up again at once
 */
export const catchUp = async (edgeId: string, messageId: string, until: number): Promise<void> => {
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
};

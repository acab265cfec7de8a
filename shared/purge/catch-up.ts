import { isDirect } from '../edge/backends.ts';
import { batchDrivers } from '../edge/batch-drivers.ts';
import { type Behind, behindFor, isDue, laterThan, retryDelaySeconds } from '../edge/behind.ts';
import { claimAttempt, endBehind, forgetEdge, markBehind, putOff, settle } from '../edge/behind-table.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { drivers } from '../edge/drivers.ts';
import { listRegisteredEdges, type RegisteredEdge } from '../edge/edge-table.ts';
import { listMissed } from './backlog-table.ts';
import { catchUpProperty } from './catch-up-property.ts';
import { sendCatchUp } from './catch-up-queue.ts';
import { BeginAnew, type CatchUpWork, patientMilliseconds } from './catch-up-work.ts';

/** How soon a backend that works in batches is asked again whether it is done. */
const pollSeconds = 5;

/** A batch is under way. */
class StillWorking extends Error {}

const probe = async (edge: RegisteredEdge): Promise<void> => {
  if (edge.removedAt) return;
  await (isDirect(edge.driver) ? drivers[edge.driver] : batchDrivers[edge.driver]).check(
    edge,
    patientMilliseconds,
  );
};

/** Property by property, from the first purge that it may have missed in any backlog. */
const workOffBacklogs = async (work: CatchUpWork): Promise<void> => {
  const { id: edgeId, settled, backlog: last } = work.edge;
  const first = new Map<string, string>();
  for (let backlog = settled; backlog <= last; backlog += 1) {
    for (const { propertyId, since } of await listMissed({ edgeId, backlog })) {
      const known = first.get(propertyId);
      if (known === undefined || since < known) first.set(propertyId, since);
    }
  }
  let isDone = true;
  for (const [propertyId, since] of first) {
    isDone = (await catchUpProperty(work, { propertyId, since })) && isDone;
  }
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

/** Leaves an edge that is not yet current to the next attempt. */
const tryLater = async ({ edge }: CatchUpWork, error: unknown): Promise<void> => {
  const isExpected =
    error instanceof BeginAnew || error instanceof StillWorking || error instanceof EdgeFailure;
  if (!isExpected) throw error;
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
  if (!edge.behind) return edge;
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

import { EdgeFailure } from '../edge/driver.ts';
import { immediateDrivers } from '../edge/immediate-drivers.ts';
import {
  isDue,
  type LaggingCause,
  laggingCause,
  laterThan,
  retryDelaySeconds,
  tooLongAway,
  tooSlow,
} from '../edge/lagging.ts';
import {
  claimAttempt,
  closeBreaker,
  endLagging,
  forgetEdge,
  forgetEdgeTouches,
  openBreakerTouches,
  scheduleAttempt,
} from '../edge/lagging-table.ts';
import { openEdges, openEdgesTouches, type RegisteredEdge } from '../edge/registered-edges.ts';
import { findEdges, findEdgesTouches, readRegistry, readRegistryTouches } from '../edge/registry.ts';
import type { EdgeItem } from '../edge/registry-table.ts';
import { isEverybody } from '../edge/scope.ts';
import { clockToleranceMilliseconds } from '../ground/clock.ts';
import { touching } from '../ground/touches.ts';
import { catchUpProperty, catchUpPropertyTouches, isOutOfScope } from './catch-up-property.ts';
import { sendCatchUp, sendCatchUpTouches } from './catch-up-queue.ts';
import { type CatchUpWork, type LaggingEdge, NotYet, patientMilliseconds } from './catch-up-work.ts';
import { type Hint, listHints, readHintsTouches } from './hint-table.ts';

/** Purges are kept for 30 days, and nobody knows any more what an edge missed that was away for longer. */
const longestAwayMilliseconds = 29 * 24 * 3600 * 1000;

/** An edge that is slower than this is brought its purges later, so that they hold up no others. */
const quickProbeMilliseconds = 1_000;

const slow: LaggingCause = {
  kind: 'unreachable',
  reason: tooSlow,
};

export const catchUpTouches = touching(
  readRegistryTouches,
  findEdgesTouches,
  openEdgesTouches,
  openBreakerTouches,
  readHintsTouches,
  catchUpPropertyTouches,
  forgetEdgeTouches,
  sendCatchUpTouches,
);

/**
 * Brings one edge everything it has missed; one that is still away is tried later and later. Does nothing for an
 * edge that has missed nothing, or that somebody else is catching up. For an edge that is out of service what it has
 * missed is let go.
 * @param messageId of the message that asks for it
 * @param until milliseconds of Unix time; what is left then is taken up again at once
 */
export async function catchUp(edgeId: string, messageId: string, until: number): Promise<void> {
  const readAt = new Date(Date.now() - clockToleranceMilliseconds);
  const [registry, found] = await Promise.all([readRegistry(), findEdges([edgeId])]);
  const {
    immediate: [edge],
  } = await openEdges(found);
  const work = { edgeId, edge, registry, readAt, until };
  if (edge) await bringMissed({ ...work, edge }, messageId);
  else await withdraw(work, found);
}

async function bringMissed(
  work: CatchUpWork & { readonly edge: LaggingEdge },
  messageId: string,
): Promise<void> {
  const { edge } = work;
  const now = new Date();
  const isNeeded = edge.lagging ? isDue(edge, now, messageId) : (await listHints(edge.id)).length > 0;
  if (!isNeeded || !(await claimAttempt(edge, messageId, now))) return;
  try {
    // Before the edge must respond: nobody who is out of its scope waits for it.
    if (!isEverybody(edge.scope)) await workOff(work, (hint) => isOutOfScope(work, hint));
    const isQuick = await probe(edge);
    if (isQuick) await closeBreaker(edge);
    await workOff(work);
    if (!isQuick || !(await endLagging(edge))) await stayLagging(edge, isQuick);
  } catch (error) {
    await endAttempt(edge, error);
  }
}

/** @param removed the edge, where the registry still has it */
async function withdraw(work: CatchUpWork, removed: readonly EdgeItem[]): Promise<void> {
  try {
    await workOff(work);
    for (const edge of removed) await forgetEdge(edge);
  } catch (error) {
    if (!(error instanceof NotYet)) throw error;
    await sendCatchUp(work.edgeId, error.delaySeconds);
  }
}

/** @returns whether it responds soon enough to be sent purges as they come */
async function probe(edge: LaggingEdge): Promise<boolean> {
  const { since } = edge.lagging ?? {};
  if (since && Date.now() - Date.parse(since) > longestAwayMilliseconds)
    throw new EdgeFailure('denied', tooLongAway);
  const startedAt = performance.now();
  await immediateDrivers[edge.driver].check(edge, patientMilliseconds);
  return performance.now() - startedAt < quickProbeMilliseconds;
}

/** Property by property, until there is none but those whose purges wait for a shield. */
async function workOff(work: CatchUpWork, isMeant: (hint: Hint) => boolean = () => true): Promise<void> {
  const waiting = new Set<string>();
  for (;;) {
    const missed = (await listHints(work.edgeId)).filter(isMeant);
    const hints = missed.filter(({ propertyId }) => !waiting.has(propertyId));
    if (hints.length === 0) return;
    for (const hint of hints) if (!(await catchUpProperty(work, hint))) waiting.add(hint.propertyId);
  }
}

/** An edge that has everything now and yet must be looked at soon: its breaker is open, or was opened meanwhile. */
async function stayLagging(edge: RegisteredEdge, isQuick: boolean): Promise<void> {
  const delaySeconds = retryDelaySeconds(1);
  const now = new Date();
  const nextAttemptAt = laterThan(now, delaySeconds);
  await scheduleAttempt(edge, { since: now, cause: isQuick ? undefined : slow, attempts: 0, nextAttemptAt });
  await sendCatchUp(edge.id, delaySeconds);
}

/** Leaves an edge that is not yet current to the next attempt. */
async function endAttempt(edge: RegisteredEdge, error: unknown): Promise<void> {
  if (!(error instanceof NotYet) && !(error instanceof EdgeFailure)) throw error;
  // A probe that is refused says of the edge that it does not speak the protocol.
  const cause =
    error instanceof EdgeFailure
      ? (laggingCause(error) ?? { kind: 'denied' as const, reason: error.message })
      : undefined;
  const attempts = cause ? (edge.lagging?.attempts ?? 0) + 1 : 0;
  const delaySeconds = error instanceof NotYet ? error.delaySeconds : retryDelaySeconds(attempts);
  await scheduleAttempt(edge, { cause, attempts, nextAttemptAt: laterThan(new Date(), delaySeconds) });
  await sendCatchUp(edge.id, delaySeconds);
}

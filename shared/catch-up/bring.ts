import type { Responses } from '../delivery/attempt.ts';
import { type CombinedPurges, combineTouches, separated } from '../delivery/combine-purges.ts';
import { fanOut } from '../delivery/fan-out.ts';
import { handOver, handOverTouches } from '../delivery/hand-over.ts';
import { coveredByAll, mergeProgress, reopenBelow, withoutRemoved } from '../delivery/merge-progress.ts';
import { type Missed, openBreakers, openBreakersTouches } from '../delivery/missed.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { touching } from '../ground/touches.ts';
import { isCompleted, type Progress } from '../purge/progress.ts';
import { changeAll, changeProgressTouches } from '../purge/purge-progress-table.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';
import { checkTime, type LaggingEdge, type PropertyWork, patientMilliseconds } from './catch-up-work.ts';
import { keepMissed, keepMissedTouches } from './keep-missed.ts';

export const bringTouches = touching(
  combineTouches,
  openBreakersTouches,
  keepMissedTouches,
  handOverTouches,
  changeProgressTouches,
);

/**
 * Brings missed purges to an edge, and to those that fetch from it; for an edge out of service only to the latter.
 * @throws EdgeFailure when the edge is not there yet
 */
export async function bring(work: PropertyWork, group: CombinedPurges): Promise<void> {
  checkTime(work);
  const { edgeId, edge } = work;
  const below = edgesBelow(work, group);
  const asked = [...(edge ? [edge] : []), ...below.filter(({ lagging }) => !lagging?.isBreakerOpen)];
  const responses = await fanOut(asked, group.purge, patientMilliseconds);
  const failure = responses[edgeId]?.failure;
  if (failure && failure.kind !== 'refused') throw new EdgeFailure(failure.kind, failure.message);
  if (failure && group.of.length > 1) {
    for (const single of await separated(group)) await bring(work, single);
    return;
  }
  const merge = mergeOf(work, group, responses);
  await openBreakers(below, responses);
  if (isShield(work, group)) await passOn(work, group, below, merge);
  await changeAll(group.of, merge);
}

type Merge = (progress: Progress) => Progress;

function isShield({ edgeId, edge }: PropertyWork, { of }: CombinedPurges): boolean {
  return edge?.tier === 'shield' || of.some(({ progress }) => progress[edgeId]?.tier === 'shield');
}

/** Edges that may have fetched old content from the shield again are asked after it, whatever they said before. */
function edgesBelow(work: PropertyWork, group: CombinedPurges): readonly LaggingEdge[] {
  return isShield(work, group) ? work.edges.immediate.filter(({ tier }) => tier === 'edge') : [];
}

/** What the responses make of a purge. */
function mergeOf(
  { edgeId, edges }: PropertyWork,
  { shieldsDone, coveredBy }: CombinedPurges,
  responses: Responses,
): Merge {
  return (progress) => {
    const after = mergeProgress(withoutRemoved(progress, edges.all, edgeId), responses, shieldsDone);
    return coveredBy ? coveredByAll(after, edgeId) : after;
  };
}

/**
 * Sees to it, before the shield counts as done, that others bring the purges to those edges below it that have not
 * done them now. They are stored as waiting for the shield first, so that nobody takes them for done.
 */
async function passOn(
  { edgeId, edges }: PropertyWork,
  { of }: CombinedPurges,
  below: readonly LaggingEdge[],
  merge: Merge,
): Promise<void> {
  const isLate = ({ id }: LaggingEdge): boolean =>
    of.some(({ progress }) => {
      const after = merge(reopenBelow(progress, edgeId, [id]))[id];
      return after !== undefined && !isCompleted(after);
    });
  const late = below.filter(isLate).map(({ id }) => id);
  const handedOver = edges.asynchronous.filter(({ id }) => of.some(({ progress }) => progress[id]));
  const reopened = [...late, ...handedOver.map(({ id }) => id)];
  if (reopened.length === 0) return;
  const ended = of.filter(({ progress }) => !isWaiting(progress, edgeId, reopened));
  await changeAll(ended, (progress) => reopenBelow(progress, edgeId, reopened));
  await keepMissed(late.flatMap((id) => of.map((purge) => missedBy(id, purge))));
  await handOver(handedOver, of);
}

/** Whether the edges are stored as waiting for the shield. */
function isWaiting(progress: Progress, shieldId: string, belowIds: readonly string[]): boolean {
  return progress[shieldId]?.status === 'retrying' && !belowIds.some((id) => isCompleted(progress[id]));
}

function missedBy(edgeId: string, { accountId, propertyId, id: since }: StartedPurge): Missed {
  return { edgeId, accountId, propertyId, since };
}

import type { Responses } from '../delivery/attempt.ts';
import { fanOut } from '../delivery/fan-out.ts';
import { coveredByAll, inService, mergeProgress, reopen } from '../delivery/merge-progress.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { isAskedNow, laggingCause, waitsForBatch } from '../edge/lagging.ts';
import { touching } from '../ground/touches.ts';
import { changeAll, changeProgressTouches } from '../purge/purge-progress-table.ts';
import { type CatchUpGroup, groupMissedTouches, separated } from './catch-up-groups.ts';
import { type CatchUpWork, checkTime, patientMilliseconds } from './catch-up-work.ts';
import { isStillOpen, isStillOpenTouches, keepHint, keepHintTouches } from './hints.ts';

export const catchUpDirectlyTouches = touching(
  groupMissedTouches,
  keepHintTouches,
  isStillOpenTouches,
  changeProgressTouches,
);

/**
 * Brings missed purges to an edge that is asked at once, and to those that fetch from it; for an edge taken out
 * of service only to the latter.
 * @throws EdgeFailure when the edge is not there yet
 */
export async function catchUpDirectly(work: CatchUpWork, group: CatchUpGroup): Promise<void> {
  checkTime(work);
  const { edge } = work;
  const lower = below(work);
  const asked = [...(edge.removedAt ? [] : [edge]), ...lower.filter(isAskedNow)];
  const responses = await fanOut(
    asked,
    group.purge,
    ({ driver }) => directDriver(driver),
    patientMilliseconds,
  );
  const failure = responses[edge.id]?.failure;
  if (failure && failure.kind !== 'refused') throw new EdgeFailure(failure.kind, failure.message);
  if (failure && group.of.length > 1) {
    for (const single of await separated(group)) await catchUpDirectly(work, single);
    return;
  }
  const late = lower.filter(({ id }) => !responses[id] || responses[id].failure);
  // Before the shield counts as done, lest nobody keeps it for them when this is interrupted; and after it.
  await keepForLower(late, group, responses);
  await save(
    work,
    group,
    responses,
    late.map(({ id }) => id),
  );
  let isCertain = false;
  while (!isCertain) isCertain = await keepForLower(late, group, responses);
}

/** Edges that may have fetched old content from the shield again are asked after it, whatever they said before. */
function below({ edge, edges }: CatchUpWork): readonly RegisteredEdge[] {
  return edge.tier === 'shield' ? edges.filter(({ tier }) => tier === 'edge') : [];
}

/**
 * Edges below the shield that could not be asked, or failed, get it with their own catch-up.
 * @returns whether that is certain: none has caught up meanwhile, perhaps without having seen it
 */
async function keepForLower(
  late: readonly RegisteredEdge[],
  { of }: CatchUpGroup,
  responses: Responses,
): Promise<boolean> {
  const [first] = of;
  if (!first) return true;
  const { propertyId } = first;
  const since = of.reduce((earliest, { id }) => (id < earliest ? id : earliest), first.id);
  let isCertain = true;
  for (const edge of late) {
    const { lagging, ...asCurrent } = edge;
    const failure = responses[edge.id]?.failure;
    const cause = lagging ?? (failure ? laggingCause(failure) : waitsForBatch);
    const set = cause && (await keepHint(asCurrent, cause, { propertyId, since }, new Date()));
    if (set && !(await isStillOpen(set))) isCertain = false;
  }
  return isCertain;
}

async function save(
  { edge, edges }: CatchUpWork,
  { of, coveredBy }: CatchUpGroup,
  responses: Responses,
  lateIds: readonly string[],
): Promise<void> {
  await changeAll(of, (progress) => {
    const after = mergeProgress(reopen(inService(progress, edges), lateIds), responses);
    return coveredBy ? coveredByAll(after, edge.id) : after;
  });
}

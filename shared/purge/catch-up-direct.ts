import { behindFor, isAskedNow } from '../edge/behind.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { applyAnswers, coveredByAll, inService, reopened } from './apply-answers.ts';
import { type CatchUpGroup, separated } from './catch-up-groups.ts';
import { type CatchUpWork, checkTime, patientMilliseconds } from './catch-up-work.ts';
import { fanOut } from './fan-out.ts';
import { isStillOpen, keepForLater, waitsForBatch } from './missed.ts';
import type { Answers } from './purge-edge.ts';
import { changeAll } from './purge-progress-table.ts';

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
  const answers = await fanOut(asked, group.purge, ({ driver }) => directDriver(driver), patientMilliseconds);
  const failure = answers[edge.id]?.failure;
  if (failure && failure.kind !== 'refused') throw new EdgeFailure(failure.kind, failure.message);
  if (failure && group.of.length > 1) {
    for (const single of await separated(group)) await catchUpDirectly(work, single);
    return;
  }
  const late = lower.filter(({ id }) => !answers[id] || answers[id].failure);
  // Before the shield counts as done, lest nobody keeps it for them when this is interrupted; and after it.
  await keepForLower(late, group, answers);
  await save(
    work,
    group,
    answers,
    late.map(({ id }) => id),
  );
  let isCertain = false;
  while (!isCertain) isCertain = await keepForLower(late, group, answers);
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
  answers: Answers,
): Promise<boolean> {
  const [first] = of;
  if (!first) return true;
  const { propertyId } = first;
  const since = of.reduce((earliest, { id }) => (id < earliest ? id : earliest), first.id);
  let isCertain = true;
  for (const edge of late) {
    const { behind, ...asCurrent } = edge;
    const failure = answers[edge.id]?.failure;
    const cause = behind ?? (failure ? behindFor(failure) : waitsForBatch);
    const name = cause && (await keepForLater(asCurrent, cause, { propertyId, since }, new Date()));
    if (name && !(await isStillOpen(name))) isCertain = false;
  }
  return isCertain;
}

async function save(
  { edge, edges }: CatchUpWork,
  { of, coveredBy }: CatchUpGroup,
  answers: Answers,
  lateIds: readonly string[],
): Promise<void> {
  await changeAll(of, (progress) => {
    const after = applyAnswers(reopened(inService(progress, edges), lateIds), answers);
    return coveredBy ? coveredByAll(after, edge.id) : after;
  });
}

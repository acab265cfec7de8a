import { isWaitingForShield } from '../delivery/merge-progress.ts';
import { isDirect } from '../edge/backends.ts';
import type { EdgeFailure } from '../edge/driver.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { touching } from '../ground/touches.ts';
import { type StartedPurge, startedPurges, startedPurgesTouches } from '../purge/started-purge-table.ts';
import { catchUpInBatches, catchUpInBatchesTouches, noteWaiting } from './catch-up-batch.ts';
import { catchUpDirectly, catchUpDirectlyTouches } from './catch-up-direct.ts';
import { groupMissed, groupMissedTouches } from './catch-up-groups.ts';
import type { CatchUpWork } from './catch-up-work.ts';
import type { Hint } from './hint-table.ts';

/** So many purges are held in memory and worked off at a time. */
const roundSize = 2_000;

/** Of showFailure and firstOpen too. */
export const catchUpPropertyTouches = touching(
  startedPurgesTouches,
  groupMissedTouches,
  catchUpInBatchesTouches,
  catchUpDirectlyTouches,
);

/**
 * Brings an edge what it has missed of one property.
 * @returns whether everything is done, as against started
 * @throws EdgeFailure, Continue
 */
export async function catchUpProperty(work: CatchUpWork, hint: Hint): Promise<boolean> {
  let isDone = true;
  for await (const purges of rounds(work.edge, hint)) isDone = (await workOff(work, purges)) && isDone;
  return isDone;
}

/** Shows on the property’s purges that wait for a batch why none is started, as far as the time goes. */
export async function showFailure(work: CatchUpWork, hint: Hint, failure: EdgeFailure): Promise<void> {
  for await (const purges of rounds(work.edge, hint)) {
    if (Date.now() > work.until) return;
    await noteWaiting(work, purges, failure);
  }
}

/** @returns the property with the first purge that the edge has yet to do; undefined where there is none */
export async function firstOpen(edge: RegisteredEdge, hint: Hint): Promise<Hint | undefined> {
  for await (const [first] of rounds(edge, hint))
    if (first) return { propertyId: hint.propertyId, since: first.id };
  return undefined;
}

/** All purges of a round were accepted before any edge is asked for it, so that one purge may stand for many. */
async function* rounds(
  edge: RegisteredEdge,
  { propertyId, since }: Hint,
): AsyncGenerator<readonly StartedPurge[]> {
  let round: StartedPurge[] = [];
  for await (const page of startedPurges(propertyId, since)) {
    for (const purge of page.filter((each) => hasMissed(edge, each))) {
      round.push(purge);
      if (round.length < roundSize) continue;
      yield round;
      round = [];
    }
  }
  if (round.length > 0) yield round;
}

/** A batch is not started while a shield may still hand out the old content; the shield’s catch-up will see to it. */
function hasMissed({ id, driver }: RegisteredEdge, { progress }: StartedPurge): boolean {
  const own = progress[id];
  if (!own || own.status === 'completed') return false;
  return isDirect(driver) || own.tier === 'shield' || !isWaitingForShield(progress);
}

async function workOff(work: CatchUpWork, purges: readonly StartedPurge[]): Promise<boolean> {
  const { driver, removedAt } = work.edge;
  if (!isDirect(driver) && !removedAt) return catchUpInBatches(work, driver, purges);
  for (const group of await groupMissed(purges)) await catchUpDirectly(work, group);
  return true;
}

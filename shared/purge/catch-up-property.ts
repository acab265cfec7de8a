import { isDirect } from '../edge/backends.ts';
import type { EdgeFailure } from '../edge/driver.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { isWaitingForShield } from './apply-answers.ts';
import type { Missed } from './backlog-table.ts';
import { catchUpInBatches, noteWaiting } from './catch-up-batch.ts';
import { catchUpDirectly } from './catch-up-direct.ts';
import { groupMissed } from './catch-up-groups.ts';
import type { CatchUpWork } from './catch-up-work.ts';
import { type StartedPurge, startedPurges } from './started-purge-table.ts';

/** So many purges are held in memory and worked off at a time. */
const roundSize = 2_000;

/**
 * Brings an edge what it has missed of one property.
 * @returns whether everything is done, as against begun
 * @throws EdgeFailure, BeginAnew
 */
export async function catchUpProperty(work: CatchUpWork, missed: Missed): Promise<boolean> {
  let isDone = true;
  for await (const purges of rounds(work.edge, missed)) isDone = (await workOff(work, purges)) && isDone;
  return isDone;
}

/** Shows on the property’s purges that wait for a batch why none is begun, as far as the time goes. */
export async function showFailure(work: CatchUpWork, missed: Missed, failure: EdgeFailure): Promise<void> {
  for await (const purges of rounds(work.edge, missed)) {
    if (Date.now() > work.until) return;
    await noteWaiting(work, purges, failure);
  }
}

/** @returns the property with the first purge that the edge has yet to do; undefined where there is none */
export async function firstOpen(edge: RegisteredEdge, missed: Missed): Promise<Missed | undefined> {
  for await (const [first] of rounds(edge, missed))
    if (first) return { propertyId: missed.propertyId, since: first.id };
  return undefined;
}

/** All purges of a round were accepted before any edge is asked for it, so that one purge may stand for many. */
async function* rounds(
  edge: RegisteredEdge,
  { propertyId, since }: Missed,
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

/** A batch is not begun while a shield may still hand out the old content; the shield’s catch-up will see to it. */
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

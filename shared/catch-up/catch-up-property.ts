import { combine, combineTouches } from '../delivery/combine-purges.ts';
import { isWaitingForShield } from '../delivery/merge-progress.ts';
import { type EdgesInService, edgesFor, openEdgesTouches } from '../edge/registered-edges.ts';
import { readRegistryTouches } from '../edge/registry.ts';
import { isInScope } from '../edge/scope.ts';
import { touching } from '../ground/touches.ts';
import { type EdgeProgress, isCompleted } from '../purge/progress.ts';
import { type StartedPurge, startedPurges, startedPurgesTouches } from '../purge/started-purge-table.ts';
import { bring, bringTouches } from './bring.ts';
import { type CatchUpWork, checkTime, NotYet, type PropertyWork } from './catch-up-work.ts';
import { deleteHint, deleteHintTouches, getHint, type Hint, readHintsTouches } from './hint-table.ts';

/** So many purges are held in memory and brought at a time. */
const roundSize = 2_000;

export const catchUpPropertyTouches = touching(
  readRegistryTouches,
  openEdgesTouches,
  startedPurgesTouches,
  combineTouches,
  bringTouches,
  readHintsTouches,
  deleteHintTouches,
);

/**
 * Brings an edge what it has missed of one property, and deletes the hint unless it was bumped meanwhile. What has gone
 * out of the edge's scope is let go instead.
 * @param hint as it was read before the purges are
 * @returns false where purges wait for a shield: the hint stays for them
 * @throws EdgeFailure, NotYet
 */
export async function catchUpProperty(catchUp: CatchUpWork, hint: Hint): Promise<boolean> {
  const edge = isOutOfScope(catchUp, hint) ? undefined : catchUp.edge;
  const work = { ...catchUp, edge, edges: await edgesOf({ ...catchUp, edge }, hint) };
  for (let read: Hint | undefined = hint; read; read = await getHint(hint)) {
    let isWaiting = false;
    for await (const { ready, waiting, isLater } of rounds(work, read)) {
      isWaiting ||= waiting > 0;
      for (const group of await combine(ready)) await bring(work, group);
      if (isLater) throw new NotYet('purges were started after the registry was read', 1);
    }
    if (isWaiting) return false;
    if (await deleteHint(read)) return true;
  }
  return true;
}

/** Whether what the edge has missed of the property is let go, since it does not take its purges any more. */
export function isOutOfScope({ edge }: Pick<CatchUpWork, 'edge'>, hint: Hint): boolean {
  return edge !== undefined && !isInScope(edge.scope, hint);
}

async function edgesOf({ registry, edge }: CatchUpWork, hint: Hint): Promise<EdgesInService> {
  const edges = await edgesFor(registry, hint);
  const isThere = !edge || edges.all.some(({ id }) => id === edge.id);
  return isThere ? edges : { ...edges, all: [...edges.all, edge] };
}

interface Round {
  readonly ready: readonly StartedPurge[];
  /** How many purges wait for a shield. */
  readonly waiting: number;
  /** Whether there are purges for edges that the registry did not hold when it was read. */
  readonly isLater: boolean;
}

/** All purges of a round were accepted before any edge is asked for it, so that one purge may stand for many. */
async function* rounds(work: PropertyWork, { propertyId, since }: Hint): AsyncGenerator<Round> {
  let ready: StartedPurge[] = [];
  let waiting = 0;
  for await (const page of startedPurges(propertyId, since)) {
    checkTime(work);
    for (const purge of page.filter(({ progress }) => isLeft(progress[work.edgeId]))) {
      if (isForOthers(work, purge)) return yield { ready, waiting, isLater: true };
      const isWaiting = purge.progress[work.edgeId]?.tier === 'edge' && isWaitingForShield(purge.progress);
      if (isWaiting) waiting += 1;
      else ready.push(purge);
    }
    if (ready.length < roundSize) continue;
    yield { ready, waiting, isLater: false };
    ready = [];
  }
  yield { ready, waiting, isLater: false };
}

/** Whether the purge was started after the registry was read, for edges that it did not hold then. */
function isForOthers(
  { edges, edgeId, readAt }: PropertyWork,
  { progress, startedAt }: StartedPurge,
): boolean {
  if (startedAt < readAt.toISOString()) return false;
  const known = new Set([edgeId, ...edges.all.map(({ id }) => id)]);
  return Object.keys(progress).some((id) => !known.has(id));
}

function isLeft(own: EdgeProgress | undefined): boolean {
  return own !== undefined && !isCompleted(own);
}

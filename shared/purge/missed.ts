import { type Behind, type EdgeState, retryDelaySeconds } from '../edge/behind.ts';
import { getEdgeState, markBehind } from '../edge/behind-table.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { type BacklogName, listMissed, type Missed, noteMissed } from './backlog-table.ts';
import { sendCatchUp } from './catch-up-queue.ts';

/** Why an edge whose backend works in batches is not asked at once. */
export const waitsForBatch = { kind: 'waiting', reason: 'purges are gathered into batches' } as const;

/**
 * Keeps for an edge what it has missed. Once the caller has stored that the edge has yet to do it, it must ask
 * `isStillOpen`: only then is it certain that whoever catches the edge up will see it.
 * @param edge as it was read before; it may have caught up since
 * @returns which backlog keeps it; undefined for an edge that is no longer in the registry
 */
export async function keepForLater(
  edge: RegisteredEdge,
  cause: Pick<Behind, 'kind' | 'reason'>,
  missed: Missed,
  now: Date,
): Promise<BacklogName | undefined> {
  const marked = edge.behind
    ? { backlog: edge.backlog, isNew: false }
    : await markBehind(edge.id, cause, now);
  if (!marked) return undefined;
  const name = { edgeId: edge.id, backlog: marked.backlog };
  await noteMissed(name, missed, now);
  if (marked.isNew) await sendCatchUp(edge.id, cause.kind === 'waiting' ? 0 : retryDelaySeconds(1));
  return name;
}

/** False when the edge has caught up meanwhile, perhaps without having seen what the caller stored. */
export async function isStillOpen({ edgeId, backlog }: BacklogName): Promise<boolean> {
  return (await getEdgeState(edgeId))?.backlog === backlog;
}

/** Every property of which an edge has missed something, with the first purge that it may have missed in any backlog. */
export async function listAllMissed({
  id: edgeId,
  settled,
  backlog: last,
}: EdgeState & { readonly id: string }): Promise<readonly Missed[]> {
  const first = new Map<string, Missed>();
  for (let backlog = settled; backlog <= last; backlog += 1) {
    for (const missed of await listMissed({ edgeId, backlog })) {
      const known = first.get(missed.propertyId);
      if (!known || missed.since < known.since) first.set(missed.propertyId, missed);
    }
  }
  return [...first.values()];
}

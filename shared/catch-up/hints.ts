import type { RegisteredEdge } from '../edge/edge-table.ts';
import { type EdgeState, type LaggingCause, retryDelaySeconds } from '../edge/lagging.ts';
import { getEdgeState, getEdgeStateTouches, markLagging, markLaggingTouches } from '../edge/lagging-table.ts';
import { touching } from '../ground/touches.ts';
import { sendCatchUp, sendCatchUpTouches } from './catch-up-queue.ts';
import {
  type Hint,
  type HintSet,
  listHints,
  listHintsTouches,
  putHint,
  putHintTouches,
} from './hint-table.ts';

export const keepHintTouches = touching(markLaggingTouches, putHintTouches, sendCatchUpTouches);

/**
 * Keeps for an edge what it has missed. Once the caller has stored that the edge has yet to do it, it must ask
 * `isStillOpen`: only then is it certain that whoever catches the edge up will see it.
 * @param edge as it was read before; it may have caught up since
 * @returns which hint set keeps it; undefined for an edge that is no longer in the registry
 */
export async function keepHint(
  edge: RegisteredEdge,
  cause: LaggingCause,
  hint: Hint,
  now: Date,
): Promise<HintSet | undefined> {
  const marked = edge.lagging
    ? { hintSet: edge.hintSet, isNew: false }
    : await markLagging(edge.id, cause, now);
  if (!marked) return undefined;
  const set = { edgeId: edge.id, number: marked.hintSet };
  await putHint(set, hint, now);
  if (marked.isNew) await sendCatchUp(edge.id, cause.kind === 'waiting' ? 0 : retryDelaySeconds(1));
  return set;
}

export const isStillOpenTouches = getEdgeStateTouches;

/** False when the edge has caught up meanwhile, perhaps without having seen what the caller stored. */
export async function isStillOpen({ edgeId, number }: HintSet): Promise<boolean> {
  return (await getEdgeState(edgeId))?.hintSet === number;
}

export const listAllHintsTouches = listHintsTouches;

/** Every property of which an edge has missed something, with the first purge that it may have missed in any hint set. */
export async function listAllHints({
  id: edgeId,
  settled,
  hintSet: last,
}: EdgeState & { readonly id: string }): Promise<readonly Hint[]> {
  const first = new Map<string, Hint>();
  for (let number = settled; number <= last; number += 1) {
    for (const hint of await listHints({ edgeId, number })) {
      const known = first.get(hint.propertyId);
      if (!known || hint.since < known.since) first.set(hint.propertyId, hint);
    }
  }
  return [...first.values()];
}

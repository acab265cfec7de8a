import type { RegisteredEdge } from '../edge/registered-edges.ts';
import type { NonEmpty } from '../ground/non-empty.ts';
import { isCompleted, type Progress } from '../purge/progress.ts';
import type { PurgeKey } from '../purge/purge.ts';
import { chunksOf, sendInvalidation, sendInvalidationTouches } from './invalidation-queue.ts';
import { isWaitingForShield } from './merge-progress.ts';

export const handOverTouches = sendInvalidationTouches;

/**
 * Leaves purges of one property to the function that speaks to asynchronous backends: one message for each of
 * their edges and 1,000 purges.
 */
export async function handOver(
  asynchronous: readonly Pick<RegisteredEdge, 'id'>[],
  [first, ...others]: NonEmpty<PurgeKey>,
): Promise<void> {
  const ids = [first, ...others].map(({ id }) => id);
  const task = {
    propertyId: first.propertyId,
    since: new Date().toISOString(),
    failures: 0,
    pass: 1,
  } as const;
  for (const { id: edgeId } of asynchronous)
    for (const purgeIds of chunksOf(ids)) await sendInvalidation({ ...task, edgeId, purgeIds }, 0);
}

/** The edges that may do the purge now; while a shield has yet to do it, none: its catch-up hands it over. */
export function edgesToHandOverTo<Any extends Pick<RegisteredEdge, 'id'>>(
  asynchronous: readonly Any[],
  progress: Progress,
): readonly Any[] {
  if (isWaitingForShield(progress)) return [];
  return asynchronous.filter(({ id }) => progress[id] && !isCompleted(progress[id]));
}

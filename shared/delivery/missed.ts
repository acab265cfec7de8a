import { laggingCause } from '../edge/lagging.ts';
import { openBreaker, openBreakerTouches } from '../edge/lagging-table.ts';
import type { RegisteredEdge } from '../edge/registered-edges.ts';
import type { PropertyOwner } from '../property/property-owner.ts';
import { type EdgeProgress, isCompleted, type Progress } from '../purge/progress.ts';
import type { PurgeKey } from '../purge/purge.ts';
import type { Responses } from './attempt.ts';
import { isWaitingForShield } from './merge-progress.ts';

/** An edge has yet to do purges of a property, from the given one on. */
export interface Missed extends PropertyOwner {
  readonly edgeId: string;
  /** Id of the first of them; ids are in the order of time. */
  readonly since: string;
}

/** Keeps what edges have missed where their catch-up is certain to find it. */
export type KeepMissed = (missed: readonly Missed[]) => Promise<void>;

/**
 * What edges have missed of a purge as it is stored. Those below a shield that has yet to do it are not among them:
 * the shield's catch-up asks them.
 * @param responses of edges that were asked; what one has refused for good it has not missed
 * @param asynchronous edges that have a queue of their own
 */
export function missedOf(
  { accountId, propertyId, id: since }: PropertyOwner & PurgeKey,
  progress: Progress,
  responses: Responses,
  asynchronous: readonly Pick<RegisteredEdge, 'id'>[],
): readonly Missed[] {
  const isOpenOn = ([id, edge]: [string, EdgeProgress]): boolean =>
    !isCompleted(edge) &&
    responses[id]?.failure?.kind !== 'refused' &&
    !asynchronous.some((other) => other.id === id);
  const open = Object.entries(progress).filter(isOpenOn);
  const caughtUp = isWaitingForShield(progress) ? open.filter(([, { tier }]) => tier === 'shield') : open;
  return caughtUp.map(([edgeId]) => ({ edgeId, accountId, propertyId, since }));
}

export const openBreakersTouches = openBreakerTouches;

/** Edges that have failed are spared from here on, until their catch-up has seen them respond. */
export async function openBreakers(edges: readonly RegisteredEdge[], responses: Responses): Promise<void> {
  const now = new Date();
  const failed = edges.filter(({ id, lagging }) => responses[id]?.failure && !lagging?.isBreakerOpen);
  await Promise.all(
    failed.map(async (edge) => {
      const failure = responses[edge.id]?.failure;
      const cause = failure && laggingCause(failure);
      if (cause) await openBreaker(edge, cause, now);
    }),
  );
}

import { chunksOf, type InvalidationMessage, sendInvalidation } from '../delivery/invalidation-queue.ts';
import { withoutEdge } from '../delivery/merge-progress.ts';
import { isAsynchronous, registered } from '../edge/registered-edges.ts';
import { isInService } from '../edge/registry.ts';
import { type EdgeItem, scopeOf } from '../edge/registry-table.ts';
import { isInScope } from '../edge/scope.ts';
import type { NonEmpty } from '../ground/non-empty.ts';
import { inParallel } from '../ground/parallel.ts';
import { touching } from '../ground/touches.ts';
import { changeAll, changeProgressTouches } from '../purge/purge-progress-table.ts';
import { getStartedPurge, getStartedPurgeTouches, type StartedPurge } from '../purge/started-purge-table.ts';
import { start, startTouches, takeUp } from './backend-work.ts';

const concurrentReads = 16;

export const invalidateTouches = touching(getStartedPurgeTouches, changeProgressTouches, startTouches);

/** What the messages have in common that are worked on together: those about work that has begun are each alone. */
export function groupName({ edgeId, propertyId, pass, work }: InvalidationMessage): string {
  return [edgeId, propertyId, pass, work?.handle].join(' ');
}

/**
 * Does what the messages of one group ask for. What is left to do then is in other messages.
 * @param edges the group's, and others
 */
export async function invalidate(
  messages: NonEmpty<InvalidationMessage>,
  edges: readonly EdgeItem[],
): Promise<void> {
  const [{ edgeId, propertyId, pass, work }] = messages;
  const [now = [], ...later] = chunksOf([...new Set(messages.flatMap(({ purgeIds }) => purgeIds))]);
  const [since = ''] = messages.map((message) => message.since).sort();
  const failures = Math.max(...messages.map((message) => message.failures));
  for (const purgeIds of later)
    await sendInvalidation({ edgeId, propertyId, purgeIds, since, failures, pass }, 0);
  const purges = await read(propertyId, now);
  const [first] = purges;
  if (!first) return;
  const item = edges.find(({ id }) => id === edgeId);
  const isAsked = item && isInService(item) && isInScope(scopeOf(item), first);
  const edge = isAsked ? registered(item) : undefined;
  if (!edge || !isAsynchronous(edge)) return withdraw(purges, edgeId);
  const task = { propertyId, since, failures, pass };
  await (work ? takeUp(edge, task, work, purges) : start(edge, task, purges));
}

async function read(propertyId: string, ids: readonly string[]): Promise<readonly StartedPurge[]> {
  const purges = await inParallel(ids, concurrentReads, (id) => getStartedPurge({ propertyId, id }));
  return purges.filter((purge) => purge !== undefined);
}

/** An edge that is out of service, or out of whose scope the property went, holds no purge up. */
async function withdraw(purges: readonly StartedPurge[], edgeId: string): Promise<void> {
  await changeAll(purges, (progress) => withoutEdge(progress, edgeId));
}

import { type InvalidationMessage, sendInvalidation } from '../delivery/invalidation-queue.ts';
import type { AsynchronousEdge } from '../edge/edge.ts';
import { retryDelaySeconds } from '../edge/lagging.ts';
import { log } from '../ground/log.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';

/** How soon a backend is asked again whether it is done. */
const pollSeconds = 2;
/** A purge that is not done by then is shown as failed, and given up here. */
const longestMilliseconds = 24 * 3600 * 1000;

/** What the log says of purges that no backend has done for so long, and the stack's alarm looks for. */
export const purgesGivenUpMessage = 'purges given up';

/** What is to be done with purges of one property, as their messages say. */
export type Task = Pick<InvalidationMessage, 'propertyId' | 'since' | 'failures' | 'pass'>;

/** What the backend is at work on, as their message says. */
export type Work = NonNullable<InvalidationMessage['work']>;

/** Leaves purges to a later message, unless they have failed for too long. */
export async function tryLater(
  edge: AsynchronousEdge,
  task: Task,
  purges: readonly StartedPurge[],
  work?: Work,
): Promise<void> {
  const { propertyId, since, failures } = task;
  if (Date.now() - Date.parse(since) < longestMilliseconds)
    await send(edge, { ...task, failures: failures + 1 }, purges, work);
  else
    log('error', purgesGivenUpMessage, { edgeId: edge.id, propertyId, purgeIds: purges.map(({ id }) => id) });
}

/** Leaves purges to a message that comes when the backend may have got on, or later where it has failed. */
export async function send(
  { id: edgeId }: AsynchronousEdge,
  task: Task,
  purges: readonly StartedPurge[],
  work?: Work,
): Promise<void> {
  const { propertyId, since, failures, pass } = task;
  const purgeIds = purges.map(({ id }) => id);
  const delaySeconds = failures === 0 ? pollSeconds : retryDelaySeconds(failures);
  await sendInvalidation({ edgeId, propertyId, purgeIds, since, failures, pass, work }, delaySeconds);
}

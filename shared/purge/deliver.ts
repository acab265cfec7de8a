import type { EdgePurge } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { Edge } from '../edge/edge.ts';
import { fanOut } from './fan-out.ts';
import { isDone, type Progress } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import { type PurgeMessage, sendPurge } from './purge-queue.ts';
import { saveProgress, startPurge } from './purge-table.ts';

const firstRetrySeconds = 2;
const longestRetrySeconds = 900;
const givenUpAfterMilliseconds = 24 * 3600 * 1000;

const delaySeconds = (pass: number): number =>
  Math.min(firstRetrySeconds * 2 ** (pass - 1), longestRetrySeconds);

const edgePurgeOf = ({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge => ({
  type,
  soft,
  hostnames,
  values,
});

const pendingOn = (edges: readonly Edge[]): Progress =>
  Object.fromEntries(edges.map(({ id, tier }) => [id, { tier, status: 'pending', attempts: 0 }]));

const giveUp = (progress: Progress): Progress =>
  Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [id, isDone(edge) ? edge : { ...edge, status: 'failed' }]),
  );

/** An edge that was taken out of service holds no purge up. */
const inService = (progress: Progress, edges: readonly Edge[]): Progress =>
  Object.fromEntries(
    Object.entries(progress).filter(([id, edge]) => isDone(edge) || edges.some((e) => e.id === id)),
  );

const isExpired = ({ createdAt }: AcceptedPurge, now: Date): boolean =>
  now.getTime() - Date.parse(createdAt) > givenUpAfterMilliseconds;

/**
 * Brings one message to the edges that have yet to do it. When some cannot be reached the purge gets another
 * message, later and later, before this one counts as handled; nothing waits for it.
 * @param edges those in service
 */
export const deliver = async (
  { purge, pass = 1 }: PurgeMessage,
  edges: readonly Edge[],
  now = new Date(),
): Promise<void> => {
  const stored = await startPurge(purge, pendingOn(edges), now);
  const before = inService(stored.progress, edges);
  const due = edges.filter(({ id }) => before[id] && !isDone(before[id]));
  const answered = await fanOut(due, edgePurgeOf(purge), before, ({ driver }) => directDriver(driver));
  const latest = { ...before, ...answered };
  const after = isExpired(purge, now) ? giveUp(latest) : latest;
  if (!Object.values(after).every(isDone)) await sendPurge({ purge, pass: pass + 1 }, delaySeconds(pass));
  await saveProgress(purge, stored, after);
};

import type { EdgePurge } from '../edge/driver.ts';
import type { Edge } from '../edge/edge.ts';
import { fanOut } from './fan-out.ts';
import type { AcceptedPurge } from './purge.ts';
import { type PurgeMessage, sendPurge } from './purge-queue.ts';
import type { EdgeProgress } from './purge-record.ts';
import { saveProgress, startPurge } from './purge-table.ts';

type ProgressById = Readonly<Record<string, EdgeProgress>>;

const firstRetrySeconds = 2;
const longestRetrySeconds = 900;
const givenUpAfterMilliseconds = 24 * 3600 * 1000;

const delaySeconds = (pass: number): number =>
  Math.min(firstRetrySeconds * 2 ** (pass - 1), longestRetrySeconds);

const idsOf = (progress: ProgressById, status: EdgeProgress['status']): readonly string[] =>
  Object.entries(progress).flatMap(([id, edge]) => (edge.status === status ? [id] : []));

const edgePurgeOf = ({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge => ({
  type,
  soft,
  hostnames,
  values,
});

const pendingOn = (edges: readonly Edge[]): ProgressById =>
  Object.fromEntries(edges.map(({ id, tier }) => [id, { tier, status: 'pending', attempts: 0 }]));

const giveUp = (progress: ProgressById): ProgressById =>
  Object.fromEntries(
    Object.entries(progress).map(([id, edge]) => [
      id,
      edge.status === 'retrying' ? { ...edge, status: 'failed' } : edge,
    ]),
  );

const isDone = (progress: EdgeProgress | undefined): boolean =>
  progress?.status === 'completed' || progress?.status === 'failed';

/**
 * Brings one message to the edges that have yet to do it. Edges that cannot be reached get a message of their
 * own, later and later, before this one counts as handled; nothing waits for them.
 */
export const deliver = async ({ purge, retry }: PurgeMessage, edges: readonly Edge[], now = new Date()) => {
  const before = await startPurge(purge, pendingOn(edges), now);
  const wanted = retry?.edgeIds ?? Object.keys(before);
  const due = edges.filter(({ id }) => wanted.includes(id) && !isDone(before[id]));
  const removed = wanted.filter((id) => before[id] && !edges.some((edge) => edge.id === id));
  const answered = await fanOut(due, edgePurgeOf(purge), before);
  const expired = now.getTime() - Date.parse(purge.createdAt) > givenUpAfterMilliseconds;
  const after = expired ? giveUp(answered) : answered;
  const edgeIds = [...idsOf(after, 'retrying')];
  const pass = (retry?.pass ?? 0) + 1;
  if (edgeIds.length > 0) await sendPurge({ purge, retry: { edgeIds, pass } }, delaySeconds(pass));
  await saveProgress(purge, { ...after, ...Object.fromEntries(removed.map((id) => [id, undefined])) });
};

import { isDirect } from '../edge/backends.ts';
import type { EdgePurge } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { isAskedNow, type LaggingCause, laggingCause, waitsForBatch } from '../edge/lagging.ts';
import { touching } from '../ground/touches.ts';
import { isCompleted, type Progress, pendingOn } from '../purge/progress.ts';
import { type AcceptedPurge, type PurgeKey, purgeKey } from '../purge/purge.ts';
import {
  changeProgress,
  changeProgressTouches,
  putFirstProgress,
  putFirstProgressTouches,
  type StoredProgress,
  startPurge,
  startPurgeTouches,
} from '../purge/purge-progress-table.ts';
import type { EdgeResponse, Responses } from './attempt.ts';
import { type CoalescedPurges, coalesceKey, doneFor, rememberDone } from './coalesce.ts';
import { fanOut } from './fan-out.ts';
import { inService, mergeProgress } from './merge-progress.ts';
import { onSlow } from './on-slow.ts';

/**
 * Keeps for an edge that it has yet to do the property's purges from the given one on.
 * @returns false for an edge that is no longer in the registry
 */
export type KeepForLater = (edge: RegisteredEdge, cause: LaggingCause, first: PurgeKey) => Promise<boolean>;

export const deliverTouches = touching(startPurgeTouches, putFirstProgressTouches, changeProgressTouches);

/**
 * Brings coalesced purges, as one, to the edges that have yet to do it, and has it kept for those that cannot now.
 * @param edges those in service
 * @param isFirst whether none of them can have been taken up before
 */
export async function deliver(
  purges: CoalescedPurges,
  edges: readonly RegisteredEdge[],
  isFirst: boolean,
  keepForLater: KeepForLater,
): Promise<void> {
  const now = new Date();
  const start = () => startAll(purges, edges, now);
  const before = isFirst ? undefined : await start();
  const due = dueOf(edges, before);
  const asking = ask(purges, due);
  const { result, meanwhile: started } = before
    ? { result: await asking, meanwhile: before }
    : await onSlow(asking, start);
  const responses = { ...result, ...sparedResponses(due, now) };
  const goneIds = await keepMissed(purges, due, responses, keepForLater);
  const present = edges.filter(({ id }) => !goneIds.includes(id));
  const change = (progress: Progress): Progress => mergeProgress(inService(progress, present), responses);
  await Promise.all(purges.map((purge, index) => save(purge, started?.[index], edges, change, now)));
}

/**
 * Shows the purges as running before their edges have responded; most are done at once and spared this write.
 * @returns where they stand
 */
function startAll(
  purges: CoalescedPurges,
  edges: readonly RegisteredEdge[],
  now: Date,
): Promise<readonly StoredProgress[]> {
  return Promise.all(purges.map((purge) => startPurge(purge, pendingOn(edges), now)));
}

function dueOf(
  edges: readonly RegisteredEdge[],
  started: readonly StoredProgress[] | undefined,
): readonly RegisteredEdge[] {
  return started
    ? edges.filter(({ id }) => started.some(({ progress }) => progress[id] && !isCompleted(progress[id])))
    : edges;
}

/** Asks the edges that are up to date, unless an equal purge has asked them all since these came. */
async function ask(purges: CoalescedPurges, due: readonly RegisteredEdge[]): Promise<Responses> {
  const asked = due.filter(isAskedNow);
  const key = coalesceKey(purges[0]);
  const known = doneFor(key, purges, asked);
  if (known) return known;
  const startedAt = Date.now();
  const responses = await fanOut(asked, toEdgePurge(purges[0]), ({ driver }) => directDriver(driver));
  rememberDone(key, startedAt, responses);
  return responses;
}

function toEdgePurge({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge {
  return {
    type,
    soft,
    hostnames,
    values,
  };
}

/** An edge that lags is spared, which is as good as a response that it failed. */
function sparedResponses(edges: readonly RegisteredEdge[], now: Date): Responses {
  return Object.fromEntries(
    edges.flatMap(({ id, lagging }): [string, EdgeResponse][] => {
      if (!lagging || lagging.kind === 'waiting') return [];
      const failure = { kind: lagging.kind, message: lagging.reason };
      const at = now.toISOString();
      return [[id, { attempts: 0, failure, askedAt: at, at }]];
    }),
  );
}

/** @returns ids of the edges that are no longer in the registry */
async function keepMissed(
  purges: CoalescedPurges,
  due: readonly RegisteredEdge[],
  responses: Responses,
  keepForLater: KeepForLater,
): Promise<readonly string[]> {
  const first = purges.reduce((earliest, purge) => (purge.id < earliest.id ? purge : earliest));
  const gone = due.map(async (edge): Promise<readonly string[]> => {
    const cause = causeOf(edge, responses);
    return !cause || (await keepForLater(edge, cause, purgeKey(first))) ? [] : [edge.id];
  });
  return (await Promise.all(gone)).flat();
}

/** Why the edge must be caught up; undefined where it has done it or never will. */
function causeOf(edge: RegisteredEdge, responses: Responses): LaggingCause | undefined {
  if (edge.lagging) return edge.lagging;
  if (!isDirect(edge.driver)) return waitsForBatch;
  const failure = responses[edge.id]?.failure;
  return failure && laggingCause(failure);
}

async function save(
  purge: AcceptedPurge,
  started: StoredProgress | undefined,
  edges: readonly RegisteredEdge[],
  change: (progress: Progress) => Progress,
  now: Date,
): Promise<void> {
  const pending = pendingOn(edges);
  if (!started && (await putFirstProgress(purge, change(pending), now))) return;
  const stored = started ?? (await startPurge(purge, pending, now));
  if (!Object.values(stored.progress).every(isCompleted)) await changeProgress(purge, stored, change);
}

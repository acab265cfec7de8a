import { isDirect } from '../edge/backends.ts';
import { type Behind, behindFor } from '../edge/behind.ts';
import type { EdgePurge } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { applyAnswers, inService } from './apply-answers.ts';
import type { BacklogName } from './backlog-table.ts';
import { doneFor, equalityKey, rememberDone } from './equal-purges.ts';
import { fanOut } from './fan-out.ts';
import { keepForLater, waitsForBatch } from './missed.ts';
import { isDone, pendingOn } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import type { Answers, EdgeAnswer } from './purge-edge.ts';
import { changeProgress, startPurge } from './purge-progress-table.ts';

/** Purges that ask for the same, one at least. */
export type EqualPurges = readonly [AcceptedPurge, ...AcceptedPurge[]];

const toEdgePurge = ({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge => ({
  type,
  soft,
  hostnames,
  values,
});

const isAskedNow = ({ driver, behind }: RegisteredEdge): boolean => isDirect(driver) && !behind;

/** Asks the edges that are up to date, unless an equal purge has asked them all since these came. */
const ask = async (purges: EqualPurges, due: readonly RegisteredEdge[]): Promise<Answers> => {
  const asked = due.filter(isAskedNow);
  const key = equalityKey(purges[0]);
  const known = doneFor(key, purges, asked);
  if (known) return known;
  const startedAt = Date.now();
  const answers = await fanOut(asked, toEdgePurge(purges[0]), ({ driver }) => directDriver(driver));
  rememberDone(key, startedAt, answers);
  return answers;
};

/** An edge that is behind is spared, which is as good as an answer that it failed. */
const sparedAnswers = (edges: readonly RegisteredEdge[], now: Date): Answers =>
  Object.fromEntries(
    edges.flatMap(({ id, behind }): [string, EdgeAnswer][] => {
      if (!behind || behind.kind === 'waiting') return [];
      const failure = { kind: behind.kind, message: behind.reason };
      return [[id, { attempts: 0, failure, at: now.toISOString() }]];
    }),
  );

/** Why the edge must be caught up; undefined where it has done it or never will. */
const causeOf = (edge: RegisteredEdge, answers: Answers): Pick<Behind, 'kind' | 'reason'> | undefined => {
  if (edge.behind) return edge.behind;
  if (!isDirect(edge.driver)) return waitsForBatch;
  const failure = answers[edge.id]?.failure;
  return failure && behindFor(failure);
};

/** Which backlog keeps what an edge misses; none for an edge that is no longer in the registry. */
interface Kept {
  readonly edgeId: string;
  readonly name: BacklogName | undefined;
}

const keepMissed = async (
  purges: EqualPurges,
  due: readonly RegisteredEdge[],
  answers: Answers,
  now: Date,
): Promise<readonly Kept[]> => {
  const since = purges.map(({ id }) => id).reduce((first, id) => (id < first ? id : first));
  const missed = { propertyId: purges[0].propertyId, since };
  const kept = due.map(async (edge): Promise<readonly Kept[]> => {
    const cause = causeOf(edge, answers);
    return cause ? [{ edgeId: edge.id, name: await keepForLater(edge, cause, missed, now) }] : [];
  });
  return (await Promise.all(kept)).flat();
};

/**
 * Brings equal purges, as one, to the edges that have yet to do it, and keeps it for those that cannot now.
 * @param edges those in service
 * @returns the backlogs that the caller must find still open before the purges count as handled
 */
export const deliver = async (
  purges: EqualPurges,
  edges: readonly RegisteredEdge[],
  now = new Date(),
): Promise<readonly BacklogName[]> => {
  const started = await Promise.all(
    purges.map(async (purge) => ({ purge, stored: await startPurge(purge, pendingOn(edges), now) })),
  );
  const isDue = ({ id }: RegisteredEdge): boolean =>
    started.some(({ stored: { progress } }) => progress[id] && !isDone(progress[id]));
  const due = edges.filter(isDue);
  const answers = { ...(await ask(purges, due)), ...sparedAnswers(due, now) };
  const kept = await keepMissed(purges, due, answers, now);
  const present = edges.filter(({ id }) => !kept.some(({ edgeId, name }) => edgeId === id && !name));
  const open = started.filter(({ stored }) => !Object.values(stored.progress).every(isDone));
  await Promise.all(
    open.map(({ purge, stored }) =>
      changeProgress(purge, stored, (progress) => applyAnswers(inService(progress, present), answers)),
    ),
  );
  return kept.flatMap(({ name }) => name ?? []);
};

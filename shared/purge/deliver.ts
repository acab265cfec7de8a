import { isDirect } from '../edge/backends.ts';
import { type Behind, behindFor, isAskedNow } from '../edge/behind.ts';
import type { EdgePurge } from '../edge/driver.ts';
import { directDriver } from '../edge/drivers.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';
import { applyAnswers, inService } from './apply-answers.ts';
import type { BacklogName } from './backlog-table.ts';
import { doneFor, equalityKey, rememberDone } from './equal-purges.ts';
import { fanOut } from './fan-out.ts';
import { keepForLater, waitsForBatch } from './missed.ts';
import { isCompleted, type Progress, pendingOn } from './progress.ts';
import type { AcceptedPurge } from './purge.ts';
import type { Answers, EdgeAnswer } from './purge-edge.ts';
import { changeProgress, putFirstProgress, type StoredProgress, startPurge } from './purge-progress-table.ts';
import { whileWaiting } from './while-waiting.ts';

/** Purges that ask for the same, one at least. */
export type EqualPurges = readonly [AcceptedPurge, ...AcceptedPurge[]];

/** Which backlog keeps what an edge misses; none for an edge that is no longer in the registry. */
interface Kept {
  readonly edgeId: string;
  readonly name: BacklogName | undefined;
}

/**
 * Brings equal purges, as one, to the edges that have yet to do it, and keeps it for those that cannot now.
 * @param edges those in service
 * @param isFirst whether none of them can have been taken up before
 * @returns the backlogs that the caller must find still open before the purges count as handled
 */
export async function deliver(
  purges: EqualPurges,
  edges: readonly RegisteredEdge[],
  isFirst: boolean,
): Promise<readonly BacklogName[]> {
  const now = new Date();
  const start = () => startAll(purges, edges, now);
  const before = isFirst ? undefined : await start();
  const due = dueOf(edges, before);
  const asking = ask(purges, due);
  const { result, meanwhile: started } = before
    ? { result: await asking, meanwhile: before }
    : await whileWaiting(asking, start);
  const answers = { ...result, ...sparedAnswers(due, now) };
  const kept = await keepMissed(purges, due, answers, now);
  const present = edges.filter(({ id }) => !kept.some(({ edgeId, name }) => edgeId === id && !name));
  const change = (progress: Progress): Progress => applyAnswers(inService(progress, present), answers);
  await Promise.all(purges.map((purge, index) => save(purge, started?.[index], edges, change, now)));
  return kept.flatMap(({ name }) => name ?? []);
}

/**
 * Shows the purges as running before their edges have answered; most are done at once and spared this write.
 * @returns where they stand
 */
function startAll(
  purges: EqualPurges,
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
async function ask(purges: EqualPurges, due: readonly RegisteredEdge[]): Promise<Answers> {
  const asked = due.filter(isAskedNow);
  const key = equalityKey(purges[0]);
  const known = doneFor(key, purges, asked);
  if (known) return known;
  const startedAt = Date.now();
  const answers = await fanOut(asked, toEdgePurge(purges[0]), ({ driver }) => directDriver(driver));
  rememberDone(key, startedAt, answers);
  return answers;
}

function toEdgePurge({ type, soft, hostnames, values }: AcceptedPurge): EdgePurge {
  return {
    type,
    soft,
    hostnames,
    values,
  };
}

/** An edge that is behind is spared, which is as good as an answer that it failed. */
function sparedAnswers(edges: readonly RegisteredEdge[], now: Date): Answers {
  return Object.fromEntries(
    edges.flatMap(({ id, behind }): [string, EdgeAnswer][] => {
      if (!behind || behind.kind === 'waiting') return [];
      const failure = { kind: behind.kind, message: behind.reason };
      const at = now.toISOString();
      return [[id, { attempts: 0, failure, askedAt: at, at }]];
    }),
  );
}

async function keepMissed(
  purges: EqualPurges,
  due: readonly RegisteredEdge[],
  answers: Answers,
  now: Date,
): Promise<readonly Kept[]> {
  const since = purges.map(({ id }) => id).reduce((first, id) => (id < first ? id : first));
  const missed = { propertyId: purges[0].propertyId, since };
  const kept = due.map(async (edge): Promise<readonly Kept[]> => {
    const cause = causeOf(edge, answers);
    return cause ? [{ edgeId: edge.id, name: await keepForLater(edge, cause, missed, now) }] : [];
  });
  return (await Promise.all(kept)).flat();
}

/** Why the edge must be caught up; undefined where it has done it or never will. */
function causeOf(edge: RegisteredEdge, answers: Answers): Pick<Behind, 'kind' | 'reason'> | undefined {
  if (edge.behind) return edge.behind;
  if (!isDirect(edge.driver)) return waitsForBatch;
  const failure = answers[edge.id]?.failure;
  return failure && behindFor(failure);
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

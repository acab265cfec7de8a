import { createHash } from 'node:crypto';
import { failedResponse } from '../delivery/attempt.ts';
import { type CombinedPurges, combine, combineTouches, separated } from '../delivery/combine-purges.ts';
import { sendInvalidationTouches } from '../delivery/invalidation-queue.ts';
import {
  countWork,
  coveredByAll,
  isWaitingForShield,
  mergeProgress,
  shieldsDone,
} from '../delivery/merge-progress.ts';
import { asynchronousDrivers, asynchronousDriversTouches } from '../edge/asynchronous-drivers.ts';
import { EdgeFailure } from '../edge/driver.ts';
import type { AsynchronousEdge } from '../edge/edge.ts';
import { widened } from '../edge/widen.ts';
import { touching } from '../ground/touches.ts';
import { isCompleted, type Progress } from '../purge/progress.ts';
import { changeAll, changeProgressTouches } from '../purge/purge-progress-table.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';
import { send, type Task, tryLater, type Work } from './next-message.ts';

/** Also covers takeUp. */
export const startTouches = touching(
  asynchronousDriversTouches,
  combineTouches,
  changeProgressTouches,
  sendInvalidationTouches,
);

/** Has the backend begin with those of the purges that the edge has yet to do; what waits for a shield, later. */
export async function start(
  edge: AsynchronousEdge,
  task: Task,
  purges: readonly StartedPurge[],
): Promise<void> {
  const open = openOn(edge, purges);
  const waiting = open.filter(({ progress }) => isWaitingForShield(progress));
  const ready = open.filter(({ progress }) => !isWaitingForShield(progress));
  // What the first pass has done before the shield does not count.
  if (waiting.length > 0) await tryLater(edge, { ...task, pass: 1 }, waiting);
  const groups = await combine(ready);
  for (const group of groups) await startGroup(edge, task, group);
  // The message may have come before the content.
  const missing = ready.filter((purge) => !groups.some(({ of }) => of.includes(purge)));
  if (missing.length > 0) await tryLater(edge, task, missing);
}

/** Asks whether the backend is done with its work, and takes the next step where it is. */
export async function takeUp(
  edge: AsynchronousEdge,
  task: Task,
  work: Work,
  purges: readonly StartedPurge[],
): Promise<void> {
  const open = openOn(edge, purges);
  if (open.length === 0) return;
  const state = await askAfter(edge, work);
  if (state instanceof EdgeFailure) {
    await note(edge, open, state);
    await tryLater(edge, task, open, work);
  } else if (state === 'working') await send(edge, { ...task, failures: 0 }, open, work);
  else if (state === 'unknown') await start(edge, task, open);
  else if (task.pass === 1 && !edge.isSinglePass) await passAgain(edge, task, work, open);
  else await complete(edge, work, open);
}

function openOn({ id }: AsynchronousEdge, purges: readonly StartedPurge[]): readonly StartedPurge[] {
  return purges.filter(({ progress }) => progress[id] && !isCompleted(progress[id]));
}

/** The second pass; the first one again of purges whose shield has come meanwhile. */
async function passAgain(
  edge: AsynchronousEdge,
  task: Task,
  work: Work,
  purges: readonly StartedPurge[],
): Promise<void> {
  const isSame = ({ progress }: StartedPurge): boolean =>
    shieldsDone(progress).join(' ') === work.shieldsDone.join(' ');
  const again = purges.filter(isSame);
  const anew = purges.filter((purge) => !isSame(purge));
  await start(edge, { ...task, pass: 2 }, again);
  await start(edge, task, anew);
}

async function startGroup(edge: AsynchronousEdge, task: Task, group: CombinedPurges): Promise<void> {
  const { of } = group;
  const purge = widened(edge, group.purge);
  const isCoveredByAll = group.coveredBy === 'all' || purge !== group.purge;
  try {
    const { paths, start: begin } = asynchronousDrivers[edge.driver].prepare(purge);
    const handle = await begin(edge, referenceOf(task, group));
    const [first] = of.map(({ id }) => id).sort();
    await changeAll(of, (progress, { id }) => {
      const after = countWork(progress, edge.id, { handle, paths: id === first ? paths : 0 });
      return isCoveredByAll ? coveredByAll(after, edge.id) : after;
    });
    const work = { handle, shieldsDone: [...group.shieldsDone] };
    await send(edge, { ...task, failures: 0 }, of, work);
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    await takeFailure(edge, task, group, error);
  }
}

/** One that the backend refuses takes no other with it. */
async function takeFailure(
  edge: AsynchronousEdge,
  task: Task,
  group: CombinedPurges,
  failure: EdgeFailure,
): Promise<void> {
  if (failure.kind === 'refused' && group.of.length > 1) {
    for (const single of await separated(group)) await startGroup(edge, task, single);
    return;
  }
  await note(edge, group.of, failure);
  if (failure.kind !== 'refused') await tryLater(edge, task, group.of);
}

/** Shows why purges are not done, where that is not shown yet. */
async function note(
  { id }: AsynchronousEdge,
  purges: readonly StartedPurge[],
  failure: EdgeFailure,
): Promise<void> {
  const untold = purges.filter(({ progress }) => progress[id]?.lastError !== failure.message);
  const responses = { [id]: failedResponse(failure, 0) };
  await changeAll(untold, (progress) => mergeProgress(progress, responses, []));
}

/** `unknown`: the backend no longer knows of it. */
async function askAfter(
  edge: AsynchronousEdge,
  { handle }: Work,
): Promise<'working' | 'done' | 'unknown' | EdgeFailure> {
  try {
    return (await asynchronousDrivers[edge.driver].isDone(edge, handle)) ? 'done' : 'working';
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return error.kind === 'refused' ? 'unknown' : error;
  }
}

/** One whose shield has come after the work was started stays open: it was handed over again then. */
async function complete(
  { id }: AsynchronousEdge,
  { shieldsDone: known }: Work,
  purges: readonly StartedPurge[],
): Promise<void> {
  const responses = { [id]: { attempts: 0, at: Date.now() } };
  await changeAll(purges, (progress: Progress) => mergeProgress(progress, responses, known));
}

/**
 * The same for the same purges with the same contents, so that a repeated call starts nothing twice; another one where
 * their shields stand otherwise, so that they are done again after those.
 */
function referenceOf({ pass }: Task, { purge, of }: CombinedPurges): string {
  const purges = of.map(({ id, progress }) => [id, ...shieldStates(progress)].join(' ')).sort();
  return createHash('sha256')
    .update(JSON.stringify([pass, purge, purges]))
    .digest('hex');
}

function shieldStates(progress: Progress): readonly string[] {
  return Object.entries(progress).flatMap(([id, { tier, status }]) =>
    tier === 'shield' ? [id, status] : [],
  );
}

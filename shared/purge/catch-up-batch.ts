import { createHash } from 'node:crypto';
import type { BatchDriverName } from '../edge/backends.ts';
import { batchDrivers } from '../edge/batch-drivers.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { inParallel } from '../parallel.ts';
import { applyAnswers, begun, coveredByAll } from './apply-answers.ts';
import { type CatchUpGroup, groupMissed } from './catch-up-groups.ts';
import { type CatchUpWork, checkTime } from './catch-up-work.ts';
import type { EdgeAnswer } from './purge-edge.ts';
import { changeProgress, type StartedPurge } from './purge-progress-table.ts';

const concurrentWrites = 16;

/** The same for the same purges with the same contents, so that a repeated call begins nothing twice. */
const referenceOf = ({ purge, of }: CatchUpGroup): string =>
  createHash('sha256')
    .update(JSON.stringify([purge, of.map(({ id }) => id).sort()]))
    .digest('hex');

const note = async (
  { edge }: CatchUpWork,
  of: readonly StartedPurge[],
  answer: EdgeAnswer,
): Promise<void> => {
  await inParallel(of, concurrentWrites, (purge) =>
    changeProgress(purge, purge, (progress) => applyAnswers(progress, { [edge.id]: answer })),
  );
};

/** Notes on purges for which nothing has been begun why that is. */
export const noteWaiting = async (
  work: CatchUpWork,
  purges: readonly StartedPurge[],
  { kind, message }: EdgeFailure,
): Promise<void> => {
  const untold = purges.filter(({ progress }) => {
    const own = progress[work.edge.id];
    return own && own.handle === undefined && own.lastError !== message;
  });
  await note(work, untold, { attempts: 0, failure: { kind, message }, at: new Date().toISOString() });
};

/** Begins the work on purges that came together. @returns whether it is going on now */
const begin = async (work: CatchUpWork, driver: BatchDriverName, group: CatchUpGroup): Promise<boolean> => {
  checkTime(work);
  const { edge } = work;
  try {
    const handle = await batchDrivers[driver].begin(edge, group.purge, referenceOf(group));
    await inParallel(group.of, concurrentWrites, (purge) =>
      changeProgress(purge, purge, (progress) => {
        const after = begun(progress, edge.id, handle);
        return group.coveredBy ? coveredByAll(after, edge.id) : after;
      }),
    );
    return true;
  } catch (error) {
    if (!(error instanceof EdgeFailure) || error.kind !== 'refused') throw error;
    const { kind, message } = error;
    await note(work, group.of, { attempts: 1, failure: { kind, message }, at: new Date().toISOString() });
    return false;
  }
};

/** What has become of work that was begun. `unknown`: the backend no longer knows of it. */
type Begun = 'working' | 'done' | 'unknown';

const poll = async (
  work: CatchUpWork,
  driver: BatchDriverName,
  handle: string,
  of: readonly StartedPurge[],
): Promise<Begun> => {
  checkTime(work);
  try {
    if (!(await batchDrivers[driver].isDone(work.edge, handle))) return 'working';
  } catch (error) {
    if (error instanceof EdgeFailure && error.kind === 'refused') return 'unknown';
    throw error;
  }
  await note(work, of, { attempts: 0, at: new Date().toISOString() });
  return 'done';
};

/**
 * Asks after the batches that are under way, then begins one for what has come together since or was lost.
 * @returns whether everything is done
 * @throws EdgeFailure when the backend takes no more at the moment, or is not there
 */
export const catchUpInBatches = async (
  work: CatchUpWork,
  driver: BatchDriverName,
  purges: readonly StartedPurge[],
): Promise<boolean> => {
  const byHandle = Map.groupBy(purges, ({ progress }) => progress[work.edge.id]?.handle);
  const fresh: StartedPurge[] = [];
  let isWorking = false;
  for (const [handle, of] of byHandle) {
    const state = handle === undefined ? 'unknown' : await poll(work, driver, handle, of);
    if (state === 'unknown') fresh.push(...of);
    isWorking ||= state === 'working';
  }
  for (const group of await groupMissed(fresh, true)) {
    isWorking = (await begin(work, driver, group)) || isWorking;
  }
  return !isWorking;
};

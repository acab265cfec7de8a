import { createHash } from 'node:crypto';
import type { EdgeResponse } from '../delivery/attempt.ts';
import { coveredByAll, mergeProgress, started } from '../delivery/merge-progress.ts';
import type { BatchDriverName } from '../edge/backends.ts';
import { batchDrivers, batchDriversTouches } from '../edge/batch-drivers.ts';
import { EdgeFailure } from '../edge/driver.ts';
import { touching } from '../ground/touches.ts';
import { changeAll, changeProgressTouches } from '../purge/purge-progress-table.ts';
import type { StartedPurge } from '../purge/started-purge-table.ts';
import { type CatchUpGroup, groupMissed, groupMissedTouches } from './catch-up-groups.ts';
import { type CatchUpWork, checkTime } from './catch-up-work.ts';

/** The first may be over while a fetch from before it is not; the second takes away what that has brought back. */
type Pass = 1 | 2;

/** What has become of work that was started. `unknown`: the backend no longer knows of it. */
type Started = 'working' | 'done' | 'unknown';

/** What is to be started now, by its pass. */
type Due = Readonly<Record<Pass, StartedPurge[]>>;

/** Of noteWaiting too. */
export const catchUpInBatchesTouches = touching(
  groupMissedTouches,
  batchDriversTouches,
  changeProgressTouches,
);

/** Notes on purges for which nothing was started why that is. */
export async function noteWaiting(
  work: CatchUpWork,
  purges: readonly StartedPurge[],
  failure: EdgeFailure,
): Promise<void> {
  const untold = purges.filter(({ progress }) => {
    const own = progress[work.edge.id];
    return own && own.handle === undefined && own.lastError !== failure.message;
  });
  await note(work, untold, failed(failure, 0));
}

/**
 * Asks after the batches that are under way, then starts those of the second pass, and one for what has come
 * together since.
 * @returns whether everything is done
 * @throws EdgeFailure when the backend takes no more at the moment, or is not there
 */
export async function catchUpInBatches(
  work: CatchUpWork,
  driver: BatchDriverName,
  purges: readonly StartedPurge[],
): Promise<boolean> {
  const byHandle = Map.groupBy(purges, ({ progress }) => progress[work.edge.id]?.handle);
  const due: Due = { 1: [...(byHandle.get(undefined) ?? [])], 2: [] };
  let isWorking = false;
  for (const [text, of] of byHandle) {
    if (text !== undefined) isWorking = (await takeUp(work, driver, text, of, due)) || isWorking;
  }
  for (const pass of [2, 1] as const) {
    for (const group of await groupMissed(due[pass])) {
      isWorking = (await start(work, driver, group, pass)) || isWorking;
    }
  }
  return !isWorking;
}

async function note(
  { edge }: CatchUpWork,
  of: readonly StartedPurge[],
  response: EdgeResponse,
): Promise<void> {
  await changeAll(of, (progress) => mergeProgress(progress, { [edge.id]: response }));
}

function failed({ kind, message }: EdgeFailure, attempts: number): EdgeResponse {
  const at = new Date().toISOString();
  return { attempts, failure: { kind, message }, askedAt: at, at };
}

/** @returns whether the work is still going on */
async function takeUp(
  work: CatchUpWork,
  driver: BatchDriverName,
  text: string,
  of: readonly StartedPurge[],
  due: Due,
): Promise<boolean> {
  const state = await poll(work, driver, text);
  const pass = passOf(text);
  if (state === 'unknown') due[pass].push(...of);
  else if (state === 'done' && pass === 1) due[2].push(...of);
  else if (state === 'done') {
    const at = new Date().toISOString();
    await note(work, of, { attempts: 0, askedAt: at, at });
  }
  return state === 'working';
}

async function poll(work: CatchUpWork, driver: BatchDriverName, text: string): Promise<Started> {
  checkTime(work);
  try {
    return (await batchDrivers[driver].isDone(work.edge, text.slice(2))) ? 'done' : 'working';
  } catch (error) {
    if (error instanceof EdgeFailure && error.kind === 'refused') return 'unknown';
    throw error;
  }
}

function passOf(text: string): Pass {
  return text.startsWith('1/') ? 1 : 2;
}

/** Starts the work on purges that came together. @returns whether it is going on now */
async function start(
  work: CatchUpWork,
  driver: BatchDriverName,
  group: CatchUpGroup,
  pass: Pass,
): Promise<boolean> {
  checkTime(work);
  const { edge } = work;
  try {
    const handle = await batchDrivers[driver].start(edge, group.purge, referenceOf(group, pass));
    await changeAll(group.of, (progress) => {
      const after = started(progress, edge.id, handleText(pass, handle));
      return group.coveredBy ? coveredByAll(after, edge.id) : after;
    });
    return true;
  } catch (error) {
    if (!(error instanceof EdgeFailure) || error.kind !== 'refused') throw error;
    await note(work, group.of, failed(error, 1));
    return false;
  }
}

/** The same for the same purges with the same contents, so that a repeated call starts nothing twice. */
function referenceOf({ purge, of }: CatchUpGroup, pass: Pass): string {
  return createHash('sha256')
    .update(JSON.stringify([pass, purge, of.map(({ id }) => id).sort()]))
    .digest('hex');
}

/** Work that was started, as the progress of each of its purges names it. */
function handleText(pass: Pass, handle: string): string {
  return `${pass}/${handle}`;
}

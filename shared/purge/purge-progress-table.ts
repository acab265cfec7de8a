import { absent, allOf, compare, present } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { getItem, updateAndGet, updateItem } from '../aws/table.ts';
import { inParallel } from '../ground/parallel.ts';
import { touching } from '../ground/touches.ts';
import { noteCompletion, noteCompletionTouches } from './completion-times.ts';
import { decodeProgress, encodeProgress, isDone, type Progress } from './progress.ts';
import type { AcceptedPurge, PurgeKey } from './purge.ts';
import { shardedKey } from './purge-shards.ts';
import { type PurgeItem, purges, recordPurge, recordPurgeTouches } from './purge-table.ts';
import { countPurge, countPurgeTouches } from './purge-total.ts';

/** Progress as it stands, and which write of it that was, so that two of them cannot cross. */
export interface StoredProgress {
  readonly progress: Progress;
  readonly revision: number;
}

const concurrentWrites = 16;

export function toStored({
  progress,
  revision = 0,
}: Pick<PurgeItem, 'progress' | 'revision'>): StoredProgress {
  return {
    progress: progress ? decodeProgress(progress) : {},
    revision,
  };
}

export const putFirstProgressTouches = touching(
  { tables: { purges: ['UpdateItem'] } },
  noteCompletionTouches,
);

/**
 * Notes in one write that a purge was taken up and how its edges responded.
 * @returns false where it was taken up before, or has no record
 */
export async function putFirstProgress(purge: PurgeKey, progress: Progress, now: Date): Promise<boolean> {
  const isPut = await updateItem(
    purges,
    shardedKey(purge),
    { set: { startedAt: now.toISOString(), progress: encodeProgress(progress), revision: 1 } },
    allOf<'id' | 'progress'>(present('id'), absent('progress')),
  );
  if (isPut && isDone(progress)) noteCompletion(purge, progress, now);
  return isPut;
}

export const startPurgeTouches = touching(
  { tables: { purges: ['UpdateItem'] } },
  recordPurgeTouches,
  countPurgeTouches,
);

/**
 * Marks a purge as running on the given edges, unless an earlier delivery of its message did; a message whose
 * record is missing makes it.
 */
export async function startPurge(
  purge: AcceptedPurge,
  pending: Progress,
  now: Date,
): Promise<StoredProgress> {
  const started = await markStarted(purge, pending, now);
  if (started) return started;
  if (await recordPurge(purge)) await countPurge(purge);
  const recorded = await markStarted(purge, pending, now);
  if (!recorded) throw new Error('the record of the purge was deleted while it was started');
  return recorded;
}

/** For `changeAll` too. */
export const changeProgressTouches = touching(
  { tables: { purges: ['UpdateItem', 'GetItem'] } },
  noteCompletionTouches,
);

/**
 * Notes how edges responded: one write, and more only where others write at the same time. A purge that has
 * expired is left alone.
 * @param before the progress as last read
 * @param change is applied to whatever progress is stored by then
 * @returns the progress as it is stored; undefined of a purge that has expired
 */
export async function changeProgress(
  purge: PurgeKey,
  before: StoredProgress,
  change: (progress: Progress) => Progress,
): Promise<Progress | undefined> {
  let stored: StoredProgress | undefined = before;
  const written = await untilWritten(async () => {
    if (!stored) return {};
    const progress = change(stored.progress);
    if (await write(purge, { progress, revision: stored.revision })) {
      if (isDone(progress) && !isDone(stored.progress)) noteCompletion(purge, progress, new Date());
      return { progress };
    }
    const item = await getItem(purges, shardedKey(purge));
    stored = item && toStored(item);
    return undefined;
  });
  return written.progress;
}

/** Notes the same of many purges, in another order each time, so that edges which catch up together do not write in step. */
export async function changeAll(
  changed: readonly (PurgeKey & StoredProgress)[],
  change: (progress: Progress, purge: PurgeKey) => Progress,
): Promise<void> {
  await inParallel(shuffled(changed), concurrentWrites, (purge) =>
    changeProgress(purge, purge, (progress) => change(progress, purge)),
  );
}

/** @returns undefined where the purge has no record */
async function markStarted(
  purge: PurgeKey,
  pending: Progress,
  now: Date,
): Promise<StoredProgress | undefined> {
  const marked = await updateAndGet(
    purges,
    shardedKey(purge),
    { setIfAbsent: { startedAt: now.toISOString(), progress: encodeProgress(pending), revision: 0 } },
    present('id'),
  );
  return marked.isUpdated ? toStored(marked.item) : undefined;
}

/** @returns whether nobody else had written meanwhile */
function write(purge: PurgeKey, { progress, revision }: StoredProgress): Promise<boolean> {
  return updateItem(
    purges,
    shardedKey(purge),
    { set: { progress: encodeProgress(progress), revision: revision + 1 } },
    compare('revision', '=', revision),
  );
}

function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

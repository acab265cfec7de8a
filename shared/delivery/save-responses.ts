import type { EdgesInService } from '../edge/registered-edges.ts';
import { isCompleted, isDone, type Progress, pendingOn } from '../purge/progress.ts';
import type { AcceptedPurge } from '../purge/purge.ts';
import {
  changeProgress,
  putFirstProgress,
  type StoredProgress,
  startPurge,
} from '../purge/purge-progress-table.ts';
import type { Responses } from './attempt.ts';
import { edgesToHandOverTo, handOver } from './hand-over.ts';
import { mergeProgress, shieldsDone, withoutRemoved } from './merge-progress.ts';
import { type KeepMissed, missedOf } from './missed.ts';

/** What is stored of a purge. */
interface Stored {
  /** As it was read before its edges were asked. */
  readonly known: StoredProgress | undefined;
  /** Once the purge was shown as running. */
  readonly started: StoredProgress | undefined;
}

/**
 * Stores how the edges responded, and hands the purge over to asynchronous backends once its shields have done it.
 * @returns the progress as stored
 */
export async function saveResponses(
  purge: AcceptedPurge,
  { known, started }: Stored,
  edges: EdgesInService,
  responses: Responses,
  keepMissed: KeepMissed,
  now: Date,
): Promise<Progress> {
  const { all, asynchronous } = edges;
  const pending = pendingOn(all);
  const knownShields = known ? shieldsDone(known.progress) : [];
  const change = (progress: Progress): Progress =>
    mergeProgress(withoutRemoved(progress, all), withoutFailedShields(responses, progress), knownShields);
  const handOverNow = (progress: Progress) => handOver(edgesToHandOverTo(asynchronous, progress), [purge]);
  const first = mergeProgress(pending, responses, knownShields);
  if (!started && (await putFirstProgress(purge, first, now))) {
    await handOverNow(first);
    return first;
  }
  const stored = started ?? (await startPurge(purge, pending, now));
  if (isDone(stored.progress)) return stored.progress;
  const expected = change(stored.progress);
  // Once the shields are done nobody else looks after the edges below, and the message may be acknowledged already.
  if (completesShield(stored.progress, expected))
    await keepMissed(missedOf(purge, expected, responses, asynchronous));
  await handOverNow(expected);
  return (await changeProgress(purge, stored, change)) ?? {};
}

/** A shield that has failed is left to its catch-up, which asks the edges below it again. */
function withoutFailedShields(responses: Responses, progress: Progress): Responses {
  return Object.fromEntries(
    Object.entries(responses).filter(([id]) => {
      const { tier, status } = progress[id] ?? {};
      return !(tier === 'shield' && status === 'failed');
    }),
  );
}

function completesShield(before: Progress, after: Progress): boolean {
  return Object.entries(after).some(
    ([id, edge]) => edge.tier === 'shield' && isCompleted(edge) && !isCompleted(before[id]),
  );
}

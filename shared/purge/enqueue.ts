import { isUnavailable } from '../aws/unavailable.ts';
import { unavailable } from '../ground/api-error.ts';
import { log } from '../ground/log.ts';
import { touching } from '../ground/touches.ts';
import type { AcceptedPurge } from './purge.ts';
import { sendPurge, sendPurgeTouches } from './purge-queue.ts';
import { forgetPurge, forgetPurgeTouches, recordPurge, recordPurgeTouches } from './purge-table.ts';
import { countPurge, countPurgeTouches, uncountPurge, uncountPurgeTouches } from './purge-total.ts';

export const enqueueTouches = touching(
  sendPurgeTouches,
  recordPurgeTouches,
  countPurgeTouches,
  uncountPurgeTouches,
  forgetPurgeTouches,
);

/**
 * Makes the purge durable: message and record, at once. When the queue did not take it, the record goes too;
 * when only the record failed, the message makes it later. Only who made the record counts it.
 * @throws ApiError `unavailable` unless both are durable
 */
export async function enqueue(purge: AcceptedPurge): Promise<void> {
  const writes = [sendPurge(purge), recordPurge(purge), countPurge(purge)] as const;
  const [sent, recorded, counted] = await Promise.allSettled(writes);
  const isNew = recorded.status === 'fulfilled' && recorded.value;
  const isQueued = sent.status === 'fulfilled';
  const isCounted = counted.status === 'fulfilled' && counted.value;
  if (isCounted && !(isNew && isQueued)) await uncount(purge);
  const failed = [sent, recorded, counted].find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return;
  const wasThere = recorded.status === 'fulfilled' && !recorded.value;
  const cause = isQueued || wasThere ? failed.reason : await takeBack(purge, failed.reason);
  throw isUnavailable(failed.reason) ? unavailable(cause) : cause;
}

/** The total is one too high where this fails; that must not keep the record from being taken back. */
async function uncount(purge: AcceptedPurge): Promise<void> {
  try {
    await uncountPurge(purge);
  } catch (error) {
    log('warn', 'purge still counted', { purgeIds: [purge.id], error });
  }
}

/** Takes the record of a purge that could not be queued back, so that nothing is half-done. */
async function takeBack(purge: AcceptedPurge, cause: unknown): Promise<unknown> {
  try {
    await forgetPurge(purge);
    return cause;
  } catch (error) {
    return new AggregateError(
      [cause, error],
      `${String(cause)}; nor could its record be removed: ${String(error)}`,
    );
  }
}

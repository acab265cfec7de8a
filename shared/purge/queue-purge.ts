import { isUnavailable } from '../aws/unavailable.ts';
import { unavailable } from '../http/api-error.ts';
import type { AcceptedPurge } from './purge.ts';
import { sendPurge } from './purge-queue.ts';
import { forgetPurge, recordPurge } from './purge-table.ts';

const logFailure = (error: unknown): void => {
  console.error(JSON.stringify({ level: 'error', message: 'a purge could not be queued', error: String(error) }));
};

/**
 * Makes the purge durable: message and record, at once. When the queue did not take it, the record goes too,
 * so that nothing is half-done; when only the record failed, the message makes it later.
 * @throws ApiError `unavailable` unless both are durable
 */
export const queuePurge = async (purge: AcceptedPurge): Promise<void> => {
  const [sent, recorded] = await Promise.allSettled([sendPurge({ purge }), recordPurge(purge)]);
  if (sent.status === 'rejected') {
    await forgetPurge(purge).catch(logFailure);
    logFailure(sent.reason);
  }
  for (const outcome of [sent, recorded]) {
    if (outcome.status === 'rejected') throw isUnavailable(outcome.reason) ? unavailable() : outcome.reason;
  }
};

import { type EdgeProgress, isOpen, lastCompletion, type Progress } from './progress.ts';
import type { EdgeOfPurge, Purge, PurgeRecord, PurgeStatus, PurgeSummary } from './purge-record.ts';

/** A purge that nobody has handled and for which there was no message after this time is lost. */
const queuedLimitMilliseconds = 15 * 60 * 1000;
/** What is not done by then is shown as failed; an edge is caught up all the same when it comes back. */
const longestMilliseconds = 24 * 3600 * 1000;

/** When a purge is looked at. */
interface Moment {
  readonly now: Date;
  /** When there was last no message in the queue; needed for overdue purges only. */
  readonly queueEmptyAt?: string | undefined;
}

/** Whether the purge’s status depends on if there is still a message for it. */
export function isOverdue(record: PurgeRecord, now: Date): boolean {
  return !isHandled(record) && now.getTime() - Date.parse(record.createdAt) > queuedLimitMilliseconds;
}

export function toPurgeSummary(record: PurgeRecord, moment: Moment): PurgeSummary {
  const status = statusOf(record, moment);
  const { id, type, soft, jobCount, requestedBy, createdAt } = record;
  return {
    id,
    type,
    soft,
    status,
    jobCount,
    completedJobs: status === 'completed' ? jobCount : 0,
    failedJobs: status === 'failed' ? jobCount : 0,
    requestedBy,
    createdAt,
    completedAt: status === 'completed' ? completionOf(record) : null,
  };
}

export function toPurge(record: PurgeRecord, values: readonly string[], moment: Moment): Purge {
  return {
    ...toPurgeSummary(record, moment),
    values: [...values],
    edges: Object.entries(edgesOf(record, moment)).map(toEdge),
  };
}

function toEdge([id, { completedAt, countedWork: _, ...edge }]: [string, EdgeProgress]): EdgeOfPurge {
  return {
    id,
    ...edge,
    ...(completedAt !== undefined && { completedAt: new Date(completedAt).toISOString() }),
  };
}

function isHandled({ progress, revision = 0 }: PurgeRecord): boolean {
  return progress !== undefined && (revision > 0 || !Object.values(progress).some(isOpen));
}

/** Never stored, so that it cannot differ from what the edges have done. */
function statusOf(record: PurgeRecord, moment: Moment): PurgeStatus {
  if (isLost(record, moment)) return 'failed';
  if (!record.progress) return isGivenUp(record, moment.now) ? 'failed' : 'queued';
  const edges = Object.values(edgesOf(record, moment));
  if (edges.some(isOpen)) return 'running';
  return edges.some(({ status }) => status === 'failed') ? 'failed' : 'completed';
}

function isLost(record: PurgeRecord, { queueEmptyAt }: Moment): boolean {
  return (
    !isHandled(record) &&
    queueEmptyAt !== undefined &&
    Date.parse(queueEmptyAt) - Date.parse(record.createdAt) > queuedLimitMilliseconds
  );
}

function isGivenUp({ createdAt }: PurgeRecord, now: Date): boolean {
  return now.getTime() - Date.parse(createdAt) > longestMilliseconds;
}

/** The edges as they are to be shown: time alone can make an open one a failed one. */
function edgesOf(record: PurgeRecord, moment: Moment): Progress {
  const hasFailed = isGivenUp(record, moment.now) || isLost(record, moment);
  return Object.fromEntries(
    Object.entries(record.progress ?? {}).map(([id, edge]) => [
      id,
      hasFailed && isOpen(edge) ? { ...edge, status: 'failed' } : edge,
    ]),
  );
}

/** When the last edge was done; with no edges, when the purge was taken up. */
function completionOf({ startedAt, progress = {} }: PurgeRecord): string | null {
  const completedAt = lastCompletion(progress);
  return completedAt === undefined ? (startedAt ?? null) : new Date(completedAt).toISOString();
}

import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';
import { EdgeProgress, type Progress } from './progress.ts';
import { PurgeType } from './purge.ts';

/** The longest that a purge may wait for its message before it counts as lost. */
const queuedLimitMilliseconds = 15 * 60 * 1000;

export const PurgeStatus = z.enum(['queued', 'running', 'completed', 'failed']);
export type PurgeStatus = z.output<typeof PurgeStatus>;

/** What is kept of a purge beside its values. */
export interface PurgeRecord {
  readonly id: string;
  readonly type: PurgeType;
  readonly soft: boolean;
  readonly jobCount: number;
  readonly requestedBy: UsedCredential;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly progress?: Progress;
}

/** A purge in the history. */
export const PurgeSummary = z.object({
  id: z.string(),
  type: PurgeType,
  soft: z.boolean(),
  status: PurgeStatus,
  jobCount: z.int(),
  completedJobs: z.int(),
  failedJobs: z.int(),
  requestedBy: UsedCredential,
  createdAt: z.string(),
  completedAt: z.string().nullable(),
});
export type PurgeSummary = z.output<typeof PurgeSummary>;

/** A purge by itself. */
export const Purge = PurgeSummary.extend({
  values: z.array(z.string()).describe('What was purged, in canonical form; empty for the type all.'),
  edges: z.array(EdgeProgress.extend({ id: z.string() })),
});
export type Purge = z.output<typeof Purge>;

/** Never stored, so that it cannot differ from what the edges have done. */
const statusOf = ({ createdAt, progress }: PurgeRecord, now: Date): PurgeStatus => {
  if (!progress) return now.getTime() - Date.parse(createdAt) > queuedLimitMilliseconds ? 'failed' : 'queued';
  const statuses = Object.values(progress).map(({ status }) => status);
  if (statuses.some((status) => status === 'pending' || status === 'retrying')) return 'running';
  return statuses.includes('failed') ? 'failed' : 'completed';
};

/** When the last edge was done; with no edges, when the purge was taken up. */
const lastCompletion = ({ startedAt, progress }: PurgeRecord): string | null =>
  Object.values(progress ?? {})
    .flatMap(({ completedAt }) => completedAt ?? [])
    .sort()
    .at(-1) ??
  startedAt ??
  null;

export const toPurgeSummary = (record: PurgeRecord, now: Date): PurgeSummary => {
  const status = statusOf(record, now);
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
    completedAt: status === 'completed' ? lastCompletion(record) : null,
  };
};

export const toPurge = (record: PurgeRecord, values: readonly string[], now: Date): Purge => ({
  ...toPurgeSummary(record, now),
  values: [...values],
  edges: Object.entries(record.progress ?? {}).map(([id, edge]) => ({ id, ...edge })),
});

import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { Time } from '../http/time.ts';
import { EdgeProgress, isOpen, type Progress } from './progress.ts';
import { PurgeType } from './purge.ts';

/** A purge that nobody has handled and for which there was no message after this time is lost. */
const queuedLimitMilliseconds = 15 * 60 * 1000;
/** What is not done by then is shown as failed; an edge is caught up all the same when it comes back. */
const longestMilliseconds = 24 * 3600 * 1000;

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
  /** How often `progress` was written since the purge was started. */
  readonly revision?: number;
}

/** When a purge is looked at. */
export interface Moment {
  readonly now: Date;
  /** When there was last no message in the queue; needed for overdue purges only. */
  readonly queueEmptyAt?: string | undefined;
}

const fields = {
  id: z.string().describe('Id of the purge.'),
  type: PurgeType.describe('What kind of purge it is.'),
  soft: z.boolean().describe('Whether content was marked stale instead of removed.'),
  status: PurgeStatus.describe(
    'queued; running: edges have yet to answer or are asked again; completed: every edge has done it; failed: an edge refused it or has not answered for 24 hours, or it was lost. It becomes completed when it is done after all.',
  ),
  jobCount: z.int().describe('Number of purge jobs: one for all, else one for each different value.'),
  completedJobs: z.int().describe('How many of them every edge has done.'),
  failedJobs: z.int().describe('How many of them failed.'),
  requestedBy: UsedCredential.describe('The credential that asked for it.'),
  createdAt: Time.describe('When it was asked for.'),
  completedAt: Time.nullable().describe('When the last edge was done; null while any is not.'),
} as const;

const example = {
  id: exampleIds.purge,
  type: 'url',
  soft: false,
  status: 'completed',
  jobCount: 2,
  completedJobs: 2,
  failedJobs: 0,
  requestedBy: { scheme: 'apiKey', id: exampleIds.apiKey, prefix: 'svc_7Tq2' },
  createdAt: exampleTime,
  completedAt: exampleTime,
} as const;

/** A purge in the history. */
export const PurgeSummary = z
  .object(fields)
  .meta({ id: 'PurgeSummary', description: 'A purge in the history.' })
  .register(examples, { purge: example });
export type PurgeSummary = z.output<typeof PurgeSummary>;

/** A purge by itself. */
export const Purge = z
  .object({
    ...fields,
    values: z.array(z.string()).describe('What was purged, in canonical form; empty for the type all.'),
    edges: z
      .array(EdgeProgress.extend({ id: z.string().describe('Id of the edge.') }))
      .describe('How far each edge is; empty while it is queued, or where there are no edges.'),
  })
  .meta({ id: 'Purge', description: 'A purge and how far each edge is with it.' })
  .register(examples, {
    purge: {
      ...example,
      values: ['https://www.example.com/', 'https://www.example.com/news?page=2'],
      edges: [
        {
          id: 'paris-1',
          tier: 'edge',
          status: 'completed',
          attempts: 1,
          removed: 3,
          completedAt: exampleTime,
        },
      ],
    },
  });
export type Purge = z.output<typeof Purge>;

const isHandled = ({ progress, revision = 0 }: PurgeRecord): boolean =>
  progress !== undefined && (revision > 0 || !Object.values(progress).some(isOpen));

/** Whether the purge’s status depends on if there is still a message for it. */
export const isOverdue = (record: PurgeRecord, now: Date): boolean =>
  !isHandled(record) && now.getTime() - Date.parse(record.createdAt) > queuedLimitMilliseconds;

const isLost = (record: PurgeRecord, { queueEmptyAt }: Moment): boolean =>
  !isHandled(record) &&
  queueEmptyAt !== undefined &&
  Date.parse(queueEmptyAt) - Date.parse(record.createdAt) > queuedLimitMilliseconds;

const isGivenUp = ({ createdAt }: PurgeRecord, now: Date): boolean =>
  now.getTime() - Date.parse(createdAt) > longestMilliseconds;

/** The edges as they are to be shown: time alone can make an open one a failed one. */
const edgesOf = (record: PurgeRecord, moment: Moment): Progress => {
  const hasFailed = isGivenUp(record, moment.now) || isLost(record, moment);
  return Object.fromEntries(
    Object.entries(record.progress ?? {}).map(([id, edge]) => [
      id,
      hasFailed && isOpen(edge) ? { ...edge, status: 'failed' } : edge,
    ]),
  );
};

/** Never stored, so that it cannot differ from what the edges have done. */
const statusOf = (record: PurgeRecord, moment: Moment): PurgeStatus => {
  if (isLost(record, moment)) return 'failed';
  if (!record.progress) return isGivenUp(record, moment.now) ? 'failed' : 'queued';
  const edges = Object.values(edgesOf(record, moment));
  if (edges.some(isOpen)) return 'running';
  return edges.some(({ status }) => status === 'failed') ? 'failed' : 'completed';
};

/** When the last edge was done; with no edges, when the purge was taken up. */
const lastCompletion = ({ startedAt, progress }: PurgeRecord): string | null =>
  Object.values(progress ?? {})
    .flatMap(({ completedAt }) => completedAt ?? [])
    .sort()
    .at(-1) ??
  startedAt ??
  null;

export const toPurgeSummary = (record: PurgeRecord, moment: Moment): PurgeSummary => {
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
    completedAt: status === 'completed' ? lastCompletion(record) : null,
  };
};

export const toPurge = (record: PurgeRecord, values: readonly string[], moment: Moment): Purge => ({
  ...toPurgeSummary(record, moment),
  values: [...values],
  edges: Object.entries(edgesOf(record, moment)).map(([id, { handle: _, ...edge }]) => ({ id, ...edge })),
});

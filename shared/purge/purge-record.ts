import * as z from 'zod';
import { EdgeTier } from '../edge/edge.ts';
import { PurgeType, RequestedBy } from './purge.ts';

/** How far one edge has come with a purge. */
export const EdgeProgress = z.object({
  tier: EdgeTier,
  status: z.enum(['pending', 'retrying', 'completed', 'failed']),
  attempts: z.int().describe('How often the edge was asked.'),
  removed: z.int().optional().describe('How many objects the edge removed, every variant counted.'),
  lastError: z.string().optional().describe('Why the last attempt failed.'),
  completedAt: z.string().optional().describe('When the edge was done, ISO 8601 UTC.'),
});
export type EdgeProgress = z.output<typeof EdgeProgress>;

export const PurgeStatus = z.enum(['queued', 'running', 'completed', 'failed']);
export type PurgeStatus = z.output<typeof PurgeStatus>;

/** What is stored of a purge beside its values. */
export interface PurgeItem {
  readonly propertyId: string;
  readonly id: string;
  readonly accountId: string;
  readonly type: PurgeType;
  readonly soft: boolean;
  readonly jobCount: number;
  readonly requestedBy: z.output<typeof RequestedBy>;
  readonly createdAt: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly startedAt?: string;
  readonly edges?: Readonly<Record<string, EdgeProgress>>;
}

/** A purge as its customer sees it. */
export const Purge = z.object({
  id: z.string(),
  type: PurgeType,
  soft: z.boolean(),
  values: z.array(z.string()).describe('What was purged, in canonical form; empty for the type all.'),
  status: PurgeStatus,
  jobCount: z.int(),
  completedJobs: z.int(),
  failedJobs: z.int(),
  edges: z.array(EdgeProgress.extend({ id: z.string() })),
  requestedBy: RequestedBy,
  createdAt: z.string(),
  completedAt: z.string().nullable(),
});
export type Purge = z.output<typeof Purge>;

const queuedLimitMilliseconds = 15 * 60 * 1000;

/** Never stored, so that it cannot differ from what the edges have done. */
const statusOf = ({ createdAt, startedAt, edges }: PurgeItem, now: Date): PurgeStatus => {
  if (!startedAt || !edges) {
    return now.getTime() - Date.parse(createdAt) > queuedLimitMilliseconds ? 'failed' : 'queued';
  }
  const statuses = Object.values(edges).map(({ status }) => status);
  if (statuses.some((status) => status === 'pending' || status === 'retrying')) return 'running';
  return statuses.includes('failed') ? 'failed' : 'completed';
};

const lastCompletion = ({ startedAt, edges }: PurgeItem): string | null =>
  Object.values(edges ?? {})
    .flatMap(({ completedAt }) => completedAt ?? [])
    .sort()
    .at(-1) ??
  startedAt ??
  null;

export const toPurge = (item: PurgeItem, values: readonly string[], now: Date): Purge => {
  const status = statusOf(item, now);
  const { id, type, soft, jobCount, requestedBy, createdAt } = item;
  return {
    id,
    type,
    soft,
    values: [...values],
    status,
    jobCount,
    completedJobs: status === 'completed' ? jobCount : 0,
    failedJobs: status === 'failed' ? jobCount : 0,
    edges: Object.entries(item.edges ?? {}).map(([edgeId, progress]) => ({ id: edgeId, ...progress })),
    requestedBy,
    createdAt,
    completedAt: status === 'completed' ? lastCompletion(item) : null,
  };
};

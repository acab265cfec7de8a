import * as z from 'zod';
import { UsedCredential } from '../auth/used-credential.ts';
import { EdgeTier } from '../edge/tier.ts';
import { PurgeType } from '../ground/purge-type.ts';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { Time } from '../http/time.ts';
import { EdgeStatus, type Progress } from './progress.ts';

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

const fields = {
  id: z.string().describe('Id of the purge.'),
  type: PurgeType.describe('What kind of purge it is.'),
  soft: z.boolean().describe('Whether content was marked stale instead of removed.'),
  status: PurgeStatus.describe(
    'queued; running: edges have yet to respond or are asked again; completed: every edge has done it; failed: an edge refused it or has not responded for 24 hours, or it was lost. It becomes completed when it is done after all.',
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

const EdgeOfPurge = z.object({
  id: z.string().describe('Id of the edge.'),
  tier: EdgeTier.describe('shield: the caches that edges fetch through. edge: those that visitors ask.'),
  status: EdgeStatus.describe('pending, retrying, completed or failed.'),
  attempts: z.int().describe('How often the edge was asked.'),
  removed: z.int().optional().describe('How many objects the edge removed, every variant counted.'),
  lastError: z.string().optional().describe('Why the last attempt failed.'),
  completedAt: Time.optional().describe('When the edge was done.'),
  coveredBy: z
    .literal('all')
    .optional()
    .describe(
      'all: one purge of the whole property stood for it, because the edge had missed so much, or cannot do such a purge exactly.',
    ),
  paths: z
    .int()
    .optional()
    .describe(
      'How many invalidation paths CloudFront was sent for it, and bills. Where several purges were sent as one, the first of them has all.',
    ),
});
export type EdgeOfPurge = z.output<typeof EdgeOfPurge>;

/** One edge that has done it, in every example of a purge. */
export const exampleEdges: z.input<typeof EdgeOfPurge>[] = [
  { id: 'paris-1', tier: 'edge', status: 'completed', attempts: 1, removed: 3, completedAt: exampleTime },
];

/** A purge by itself. */
export const Purge = z
  .object({
    ...fields,
    values: z.array(z.string()).describe('What was purged, in canonical form; empty for the type all.'),
    edges: z
      .array(EdgeOfPurge)
      .describe('How far each edge is; empty while it is queued, or where there are no edges.'),
  })
  .meta({ id: 'Purge', description: 'A purge and how far each edge is with it.' })
  .register(examples, {
    purge: {
      ...example,
      values: ['https://www.example.com/', 'https://www.example.com/news?page=2'],
      edges: exampleEdges,
    },
  });
export type Purge = z.output<typeof Purge>;

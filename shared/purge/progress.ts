import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { EdgeTier } from '../edge/edge.ts';
import { Time } from '../http/time.ts';

const EdgeStatus = z.enum(['pending', 'retrying', 'completed', 'failed']);

/** How far one edge has come with a purge. */
export const EdgeProgress = z.object({
  tier: EdgeTier.describe('shield: the caches that edges fetch through. edge: those that visitors ask.'),
  status: EdgeStatus.describe('pending, retrying, completed or failed.'),
  attempts: z.int().describe('How often the edge was asked.'),
  removed: z.int().optional().describe('How many objects the edge removed, every variant counted.'),
  lastError: z.string().optional().describe('Why the last attempt failed.'),
  completedAt: Time.optional().describe('When the edge was done.'),
});
export type EdgeProgress = z.output<typeof EdgeProgress>;

/** By the edge's id. */
export type Progress = Readonly<Record<string, EdgeProgress>>;

const Row = z.tuple([
  z.string(),
  EdgeTier,
  EdgeStatus,
  z.int(),
  z.int().nullable(),
  z.int().nullable(),
  z.string().nullable(),
]);
type Row = z.output<typeof Row>;

const toRow = ([id, { tier, status, attempts, removed, completedAt, lastError }]: [
  string,
  EdgeProgress,
]): Row => [
  id,
  tier,
  status,
  attempts,
  removed ?? null,
  completedAt === undefined ? null : Date.parse(completedAt),
  lastError ?? null,
];

const fromRow = ([id, tier, status, attempts, removed, completedAt, lastError]: Row): [
  string,
  EdgeProgress,
] => [
  id,
  {
    tier,
    status,
    attempts,
    ...(removed !== null && { removed }),
    ...(lastError !== null && { lastError }),
    ...(completedAt !== null && { completedAt: new Date(completedAt).toISOString() }),
  },
];

/** As it is stored: fifty edges in well under a kilobyte, since each write is paid by the kilobyte. */
export const encodeProgress = (progress: Progress): Uint8Array =>
  deflateRawSync(JSON.stringify(Object.entries(progress).map(toRow)));

export const decodeProgress = (stored: Uint8Array): Progress =>
  Object.fromEntries(
    z
      .array(Row)
      .parse(JSON.parse(inflateRawSync(stored).toString('utf8')))
      .map(fromRow),
  );

export const isDone = (progress: EdgeProgress | undefined): boolean =>
  progress?.status === 'completed' || progress?.status === 'failed';

/** What an edge has done stays done, whatever a second delivery of the same message saw. */
export const mergeProgress = (stored: Progress, latest: Progress): Progress => ({
  ...latest,
  ...Object.fromEntries(
    Object.entries(stored).filter(([id, edge]) => !latest[id] || edge.status === 'completed'),
  ),
});

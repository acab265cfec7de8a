import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import type { Edge } from '../edge/edge.ts';
import { EdgeTier } from '../edge/tier.ts';

export const EdgeStatus = z.enum(['pending', 'retrying', 'completed', 'failed']);

/** How far one edge has come with a purge. */
export interface EdgeProgress {
  tier: EdgeTier;
  status: z.output<typeof EdgeStatus>;
  /** How often the edge was asked. */
  attempts: number;
  /** How many objects the edge removed, every variant counted. */
  removed?: number;
  /** Why the last attempt failed. */
  lastError?: string;
  /** Milliseconds of Unix time. */
  completedAt?: number;
  /** One purge of the whole property stood for it. */
  coveredBy?: 'all';
  /** How many paths an asynchronous backend was asked for, and bills. */
  paths?: number;
  /** Handles of the works whose paths were counted, by spaces: a repeated call is billed once. */
  countedWork?: string;
}

/** By the edge's id. */
export type Progress = Readonly<Record<string, EdgeProgress>>;

/** As stored by any version, a later one that was rolled back too: what is not known is no completion. */
const Row = z.tuple(
  [
    z.string(),
    EdgeTier,
    EdgeStatus.catch('pending'),
    z.int(),
    z.int().nullable(),
    z.int().nullable(),
    z.string().nullable(),
    z.literal('all').nullable().catch(null),
    z.int().nullish(),
    z.string().nullish(),
  ],
  z.unknown(),
);
type Row = z.output<typeof Row>;

/** Little to set up: what is compressed is short, and there is one for each purge. */
const compression = { level: 1, windowBits: 12, memLevel: 5 };

/** As it is stored: fifty edges in well under a kilobyte, since each write is paid by the kilobyte. */
export function encodeProgress(progress: Progress): Uint8Array {
  return deflateRawSync(JSON.stringify(Object.entries(progress).map(toRow)), compression);
}

export function decodeProgress(stored: Uint8Array): Progress {
  return Object.fromEntries(
    z
      .array(Row)
      .parse(JSON.parse(inflateRawSync(stored).toString('utf8')))
      .map(fromRow),
  );
}

export function isCompleted(edge: EdgeProgress | undefined): boolean {
  return edge?.status === 'completed';
}

/** Whether every edge has done it. */
export function isDone(progress: Progress): boolean {
  return Object.values(progress).every(isCompleted);
}

/** When the last edge was done, in milliseconds of Unix time; undefined where none was. */
export function lastCompletion(progress: Progress): number | undefined {
  const completions = Object.values(progress).flatMap(({ completedAt }) => completedAt ?? []);
  return completions.length === 0 ? undefined : Math.max(...completions);
}

/** Whether the edge may still do it without anybody's help. */
export function isOpen({ status }: EdgeProgress): boolean {
  return status === 'pending' || status === 'retrying';
}

export function pendingOn(edges: readonly Pick<Edge, 'id' | 'tier'>[]): Progress {
  return Object.fromEntries(edges.map(({ id, tier }) => [id, { tier, status: 'pending', attempts: 0 }]));
}

function toRow([id, edge]: [string, EdgeProgress]): Row {
  return [
    id,
    edge.tier,
    edge.status,
    edge.attempts,
    edge.removed ?? null,
    edge.completedAt ?? null,
    edge.lastError ?? null,
    edge.coveredBy ?? null,
    edge.paths ?? null,
    edge.countedWork ?? null,
  ];
}

function fromRow(row: Row): [string, EdgeProgress] {
  const [id, tier, status, attempts, removed, completedAt, lastError, coveredBy, paths, countedWork] = row;
  return [
    id,
    {
      tier,
      status,
      attempts,
      ...(removed !== null && { removed }),
      ...(lastError !== null && { lastError }),
      ...(completedAt !== null && { completedAt }),
      ...(coveredBy !== null && { coveredBy }),
      ...(paths != null && { paths }),
      ...(countedWork != null && { countedWork }),
    },
  ];
}

import { createStep, transactBulk } from '../aws/bulk-transaction.ts';
import { queryAll } from '../aws/query.ts';
import { table } from '../aws/table.ts';
import { touching } from '../ground/touches.ts';
import type { LineError } from './log-receipt.ts';
import type { CountedLines, RollupIncrement } from './rollup.ts';
import { addRollupTouches, rollupSteps } from './rollup-table.ts';

/** Lines are taken for 35 days, and for an hour before their time: a day longer, and none can count again. */
const keptSeconds = 36 * 24 * 3600;

interface LogBatchItem {
  readonly batchId: string;
  /** Number of the chunk, as text whose alphabetical order is the order of the chunks; the table’s sort key. */
  readonly part: string;
  /** A `CountedChunk` as JSON; written with the chunk's metrics, so that neither is there alone. */
  readonly counted: string;
  readonly expiresAt: number;
}

/** Says that a chunk of a batch is counted; that of the first chunk says what holds for the whole batch too. */
export type CountedChunk = CountedLines & Partial<FirstChunk>;

export interface FirstChunk extends CountedLines {
  readonly bodyHash: string;
  /** Unix milliseconds at which the batch first came, by which its lines’ times are judged. */
  readonly receivedAt: number;
  readonly chunks: number;
  /** Host names that had an owner then, by spaces, where there is more than one chunk: the chunks are made of these. */
  readonly hosts: string | undefined;
  readonly rejected: number;
  readonly errors: readonly LineError[];
}

export const logBatches = table<'logBatches', LogBatchItem>('logBatches');

export const logBatchTouches = touching({ tables: { logBatches: ['Query', 'PutItem'] } }, addRollupTouches);

/** The chunks of a batch that are counted, by number. */
export async function countedChunks(batchId: string): Promise<Map<number, CountedChunk>> {
  const items = await queryAll(logBatches, { partition: batchId });
  return new Map(items.map(({ part, counted }) => [Number(part), JSON.parse(counted)]));
}

/**
 * Counts a chunk, all of it or nothing.
 * @returns false when it was counted before
 */
export async function countOnce(
  batchId: string,
  chunk: number,
  counted: CountedChunk,
  increments: readonly RollupIncrement[],
  now: Date,
): Promise<boolean> {
  const note = {
    batchId,
    part: String(chunk).padStart(6, '0'),
    counted: JSON.stringify(counted),
    expiresAt: Math.floor(now.getTime() / 1000) + keptSeconds,
  };
  const refused = await transactBulk([createStep(logBatches, note), ...increments.flatMap(rollupSteps)]);
  return refused === undefined;
}

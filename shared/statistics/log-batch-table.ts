import { tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';
import { type TransactionItems, transact } from '../aws/transaction.ts';
import { cells } from './cell.ts';
import type { Counters, DayIncrement, Increment } from './counters.ts';
import type { LineError } from './parse-log.ts';

/** Lines are taken for 35 days, and for an hour before their time: a day longer, and none can count again. */
const keptSeconds = 36 * 24 * 3600;

/** Says that a part of a batch is counted; written with its counters, so that neither is there alone. */
export interface CountedPart {
  readonly accepted: number;
  readonly unknownHost: number;
}

/** The first part also says what holds for the whole batch. */
export interface FirstPart extends CountedPart {
  readonly bodyHash: string;
  /** Unix milliseconds at which the batch first came, by which its lines’ times are judged. */
  readonly receivedAt: number;
  readonly parts: number;
  /** Host names that had an owner then, by spaces, where there is more than one part: the parts are made of these. */
  readonly hosts: string | undefined;
  readonly rejected: number;
  readonly errors: readonly LineError[];
}

export type BatchItem = CountedPart & Partial<FirstPart> & { readonly part: string };

/** Text whose alphabetical order is the order of the parts. */
const partText = (part: number): string => String(part).padStart(6, '0');

/** The parts of a batch that are counted, by number. */
export const countedParts = async (batch: string): Promise<ReadonlyMap<number, BatchItem>> => {
  const items = (await queryAll({
    TableName: tableName('logBatches'),
    KeyConditionExpression: 'batchId = :batch',
    ExpressionAttributeValues: { ':batch': batch },
  })) as unknown as BatchItem[];
  return new Map(items.map((item) => [Number(item.part), item]));
};

const markerOf = (
  batch: string,
  part: number,
  counted: CountedPart,
  now: Date,
): TransactionItems[number] => ({
  Put: {
    TableName: tableName('logBatches'),
    Item: {
      ...counted,
      batchId: batch,
      part: partText(part),
      expiresAt: Math.floor(now.getTime() / 1000) + keptSeconds,
    },
    ConditionExpression: 'attribute_not_exists(batchId)',
  },
});

const increase = ({ series, slot, expiresAt, counts }: Increment): TransactionItems[number] => {
  const additions: string[] = [];
  const values: Record<string, number> = { ':expiresAt': expiresAt };
  for (const [index, { requests, bytes }] of counts) {
    const cell = cells[index];
    if (!cell) throw new Error(`There is no cell ${index}`);
    additions.push(`${cell.requestsName} :r${index}`, `${cell.bytesName} :b${index}`);
    values[`:r${index}`] = requests;
    values[`:b${index}`] = bytes;
  }
  return {
    Update: {
      TableName: tableName('statistics'),
      Key: { series, slot },
      UpdateExpression: `SET expiresAt = :expiresAt ADD ${additions.join(',')}`,
      ExpressionAttributeValues: values,
    },
  };
};

const increaseActive = ({ series, slot, expiresAt, requests }: DayIncrement): TransactionItems[number] => ({
  Update: {
    TableName: tableName('statistics'),
    Key: { series, slot },
    UpdateExpression: 'SET expiresAt = :expiresAt ADD requests :requests',
    ExpressionAttributeValues: { ':expiresAt': expiresAt, ':requests': requests },
  },
});

/**
 * Counts a part, all of it or nothing.
 * @returns false when it was counted before
 */
export const countOnce = async (
  batch: string,
  part: number,
  counted: CountedPart,
  { increments, active }: Counters,
  now: Date,
): Promise<boolean> => {
  const refused = await transact([
    markerOf(batch, part, counted, now),
    ...[...increments.values()].map(increase),
    ...[...active.values()].map(increaseActive),
  ]);
  return refused === undefined;
};

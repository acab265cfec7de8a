import { tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';
import { type MarshalledItems, transactMarshalled } from '../aws/transaction.ts';
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

export type BatchItem = CountedPart & Partial<FirstPart>;

/** The parts of a batch that are counted, by number. */
export async function countedParts(batch: string): Promise<ReadonlyMap<number, BatchItem>> {
  const items = await queryAll({
    TableName: tableName('logBatches'),
    KeyConditionExpression: 'batchId = :batch',
    ExpressionAttributeValues: { ':batch': batch },
  });
  return new Map(items.map(({ part, counted }) => [Number(part), JSON.parse(String(counted))]));
}

/**
 * Counts a part, all of it or nothing.
 * @returns false when it was counted before
 */
export async function countOnce(
  batch: string,
  part: number,
  counted: CountedPart,
  { increments, active }: Counters,
  now: Date,
): Promise<boolean> {
  const refused = await transactMarshalled([
    markerOf(batch, part, counted, now),
    ...[...increments.values()].map(increase),
    ...[...active.values()].map(increaseActive),
  ]);
  return refused === undefined;
}

function markerOf(batch: string, part: number, counted: CountedPart, now: Date): MarshalledItems[number] {
  return {
    Put: {
      TableName: tableName('logBatches'),
      Item: {
        batchId: { S: batch },
        part: { S: partText(part) },
        counted: { S: JSON.stringify(counted) },
        expiresAt: number(Math.floor(now.getTime() / 1000) + keptSeconds),
      },
      ConditionExpression: 'attribute_not_exists(batchId)',
    },
  };
}

/** Text whose alphabetical order is the order of the parts. */
function partText(part: number): string {
  return String(part).padStart(6, '0');
}

function number(value: number) {
  return { N: String(value) };
}

function increase(increment: Increment): MarshalledItems[number] {
  const additions: string[] = [];
  const values: Record<string, { readonly N: string }> = { ':expiresAt': number(increment.expiresAt) };
  for (const [index, { requests, bytes }] of increment.counts) {
    const cell = cells[index];
    if (!cell) throw new Error(`There is no cell ${index}`);
    additions.push(`${cell.requestsName} :r${index}`, `${cell.bytesName} :b${index}`);
    values[`:r${index}`] = number(requests);
    values[`:b${index}`] = number(bytes);
  }
  return {
    Update: {
      ...keyOf(increment),
      UpdateExpression: `SET expiresAt = :expiresAt ADD ${additions.join(',')}`,
      ExpressionAttributeValues: values,
    },
  };
}

function keyOf({ series, slot }: Increment | DayIncrement) {
  return {
    TableName: tableName('statistics'),
    Key: { series: { S: series }, slot: { S: slot } },
  };
}

function increaseActive(increment: DayIncrement): MarshalledItems[number] {
  return {
    Update: {
      ...keyOf(increment),
      UpdateExpression: 'SET expiresAt = :expiresAt ADD requests :requests',
      ExpressionAttributeValues: {
        ':expiresAt': number(increment.expiresAt),
        ':requests': number(increment.requests),
      },
    },
  };
}

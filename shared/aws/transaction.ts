import { setTimeout as sleep } from 'node:timers/promises';
import {
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../http/api-error.ts';
import { dynamodb } from './dynamodb.ts';

export type TransactionItems = NonNullable<TransactWriteCommandInput['TransactItems']>;

/** In DynamoDB's own notation, which saves the work of translating it. */
export type MarshalledItems = NonNullable<TransactWriteItemsCommandInput['TransactItems']>;

/** Outcome per item of a refused transaction: the index of each item whose condition failed. */
export interface Refused {
  readonly failedConditions: readonly number[];
}

const attempts = 8;
const firstDelayMilliseconds = 20;

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Writes all items or none. A conflict with another transaction is retried with jitter, since DynamoDB raises
 * it under plain load.
 * @returns undefined when written, else which conditions refused it
 */
export function transact(items: TransactionItems): Promise<Refused | undefined> {
  return write(() => dynamodb().send(new TransactWriteCommand({ TransactItems: items })));
}

/** The same for the many items of statistics. */
export function transactMarshalled(items: MarshalledItems): Promise<Refused | undefined> {
  return write(() => dynamodb().send(new TransactWriteItemsCommand({ TransactItems: items })));
}

async function write(send: () => Promise<unknown>): Promise<Refused | undefined> {
  let conflict: unknown;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      await send();
      return undefined;
    } catch (error) {
      const reasons = reasonsOf(error);
      if (!reasons) throw error;
      const failedConditions = reasons.flatMap((code, index) =>
        code === 'ConditionalCheckFailed' ? [index] : [],
      );
      if (failedConditions.length > 0) return { failedConditions };
      if (!reasons.some((code) => passing.has(code ?? ''))) throw error;
      conflict = error;
      await pause(attempt);
    }
  }
  throw unavailable(conflict);
}

function reasonsOf(error: unknown): readonly (string | undefined)[] | undefined {
  return error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code }) => Code)
    : undefined;
}

function pause(attempt: number): Promise<void> {
  return sleep(Math.random() * Math.min(firstDelayMilliseconds * 2 ** attempt, 500));
}

import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unavailable } from '../ground/api-error.ts';
import type { TableName } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import type { Change, Condition } from './expression.ts';
import type { Attribute, Keyed, KeyOf, Table } from './table.ts';
import { checkInput, deleteInput, putInput, updateInput } from './table-input.ts';

/** One write of a transaction, or one condition that must hold for the others. */
export type Step = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Outcome of a transaction whose conditions did not all hold: the index of each step that was refused. */
export interface Refused {
  readonly failedConditions: readonly number[];
}

const attempts = 8;
const firstDelayMilliseconds = 20;
const longestDelayMilliseconds = 500;
const temporary = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Writes all steps or none. A conflict with another transaction is retried with jitter, since DynamoDB raises
 * it under plain load.
 * @returns undefined when written, else which conditions refused it
 * @throws ApiError `unavailable`
 */
export function transact(steps: readonly Step[]): Promise<Refused | undefined> {
  return untilDecided(() => dynamodb().send(new TransactWriteCommand({ TransactItems: [...steps] })));
}

/** Sends a transaction until it is written or a condition refuses it. */
export async function untilDecided(send: () => Promise<unknown>): Promise<Refused | undefined> {
  let conflict: unknown;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      await send();
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? '');
      const failedConditions = codes.flatMap((code, index) =>
        code === 'ConditionalCheckFailed' ? [index] : [],
      );
      if (failedConditions.length > 0) return { failedConditions };
      if (!codes.some((code) => temporary.has(code))) throw error;
      conflict = error;
      await pause(attempt);
    }
  }
  throw unavailable(conflict);
}

function pause(attempt: number): Promise<void> {
  return sleep(Math.random() * Math.min(firstDelayMilliseconds * 2 ** attempt, longestDelayMilliseconds));
}

export function putStep<Name extends TableName, Item extends Keyed<Name>>(
  into: Table<Name, Item>,
  item: Item,
  condition?: Condition<Attribute<Item>>,
): Step {
  return { Put: putInput(into, item, condition) };
}

export function updateStep<Name extends TableName, Item extends Keyed<Name>>(
  of: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  change: Change<Item>,
  condition?: Condition<Attribute<Item>>,
): Step {
  return { Update: updateInput(of, key, change, condition) };
}

export function deleteStep<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  condition?: Condition<Attribute<Item>>,
): Step {
  return { Delete: deleteInput(from, key, condition) };
}

export function checkStep<Name extends TableName, Item extends Keyed<Name>>(
  of: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  condition: Condition<Attribute<Item>>,
): Step {
  return { ConditionCheck: checkInput(of, key, condition) };
}

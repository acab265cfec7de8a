import { randomUUID } from 'node:crypto';
import { TransactWriteItemsCommand, type TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { type TableName, tables } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import type { Change } from './expression.ts';
import type { Keyed, KeyOf, Table } from './table.ts';
import { physicalName } from './table-input.ts';
import { type Refused, untilDecided } from './transaction.ts';

/**
 * A step in DynamoDB's own notation. Where a transaction has a hundred steps of many numbers each, translating
 * them in general costs more CPU than everything else about them.
 */
export type BulkStep = NonNullable<TransactWriteItemsCommandInput['TransactItems']>[number];

/** What such a step may hold. Its attributes' names go into expressions as they are: no reserved words. */
type Flat<Item> = { readonly [Name in keyof Item]?: string | number };

/** The same as `transact`, for steps made here. */
export function transactBulk(steps: readonly BulkStep[]): Promise<Refused | undefined> {
  return untilDecided(() => dynamodb().send(written({ TransactItems: [...steps] })));
}

/** A command whose body is written here: the SDK would walk through each attribute by its schema. */
function written(input: TransactWriteItemsCommandInput): TransactWriteItemsCommand {
  const body = JSON.stringify({ ...input, ClientRequestToken: randomUUID() });
  const command = new TransactWriteItemsCommand({ TransactItems: [] });
  command.middlewareStack.add(
    (next) => (sending) => {
      Object.assign(Object(sending.request), { body });
      return next(sending);
    },
    { step: 'build', priority: 'high', name: 'writtenBody' },
  );
  return command;
}

/** Stores an item; refused where there is one already. */
export function createStep<Name extends TableName, Item extends Keyed<Name> & Flat<Item>>(
  into: Table<Name, Item>,
  item: Item,
): BulkStep {
  return {
    Put: {
      TableName: physicalName(into.name),
      Item: marshall(item),
      ConditionExpression: `attribute_not_exists(${tables[into.name].partitionKey})`,
    },
  };
}

/** Adds to numbers of an item, and sets other attributes; what is not there yet counts as 0. */
export function addStep<Name extends TableName, Item extends Keyed<Name> & Flat<Item>>(
  to: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  { set, add }: Required<Pick<Change<Item>, 'set' | 'add'>>,
): BulkStep {
  const assignments = Object.keys(set).map((name) => `${name} = :${name}`);
  const additions = Object.keys(add).map((name) => `${name} :${name}`);
  return {
    Update: {
      TableName: physicalName(to.name),
      Key: marshall(key),
      UpdateExpression: `SET ${assignments.join(',')} ADD ${additions.join(',')}`,
      ExpressionAttributeValues: { ...marshall(set, ':'), ...marshall(add, ':') },
    },
  };
}

type Marshalled = Record<string, { readonly N: string } | { readonly S: string }>;

function marshall(values: object, prefix = ''): Marshalled {
  const marshalled: Marshalled = {};
  for (const [name, value] of Object.entries(values))
    marshalled[prefix + name] = typeof value === 'number' ? { N: String(value) } : { S: String(value) };
  return marshalled;
}

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TableName, tables } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { type Change, type Condition, Placeholders } from './expression.ts';
import { deleteInput, physicalName, putInput, updateInput } from './table-input.ts';

type Definition<Name extends TableName> = (typeof tables)[Name];
type SortKey<Name extends TableName> =
  Definition<Name> extends { readonly sortKey: infer Sort extends string } ? Sort : never;

/** Names of the attributes by which a table knows an item. */
type KeyName<Name extends TableName> = Definition<Name>['partitionKey'] | SortKey<Name>;

export type Keyed<Name extends TableName> = Readonly<Record<KeyName<Name>, string>>;

/** A table and what its items are: defined once, in the topic that alone reads and writes it. */
export interface Table<Name extends TableName, Item extends Keyed<Name>> {
  readonly name: Name;
  /** Carries the type only. */
  readonly item?: Item;
}

export type KeyOf<Name extends TableName, Item extends Keyed<Name>> = Pick<Item, KeyName<Name>>;

/** The names of an item's attributes, for conditions. */
export type Attribute<Item> = keyof Item & string;

export function table<Name extends TableName, Item extends Keyed<Name>>(name: Name): Table<Name, Item> {
  return { name };
}

/** Reads consistently. */
export async function getItem<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  key: KeyOf<Name, Item>,
): Promise<Item | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: physicalName(from.name), Key: { ...key }, ConsistentRead: true }),
  );
  return Item as Item | undefined;
}

/** Some attributes of an item, read consistently. */
export async function getAttributes<
  Name extends TableName,
  Item extends Keyed<Name>,
  Wanted extends Attribute<Item>,
>(
  from: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  attributes: readonly Wanted[],
): Promise<Pick<Item, Wanted> | undefined> {
  const to = new Placeholders();
  const ProjectionExpression = attributes.map((attribute) => to.name(attribute)).join(', ');
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: physicalName(from.name),
      Key: { ...key },
      ConsistentRead: true,
      ProjectionExpression,
      ...to.inputs,
    }),
  );
  return Item as Pick<Item, Wanted> | undefined;
}

/** @returns false where the condition did not hold, and nothing was written */
export function putItem<Name extends TableName, Item extends Keyed<Name>>(
  into: Table<Name, Item>,
  item: Item,
  condition?: Condition<Attribute<Item>>,
): Promise<boolean> {
  return unlessRefused(dynamodb().send(new PutCommand(putInput(into, item, condition))));
}

/** @returns false where the condition did not hold, and nothing was changed */
export function updateItem<Name extends TableName, Item extends Keyed<Name>>(
  of: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  change: Change<Item>,
  condition?: Condition<Attribute<Item>>,
): Promise<boolean> {
  return unlessRefused(dynamodb().send(new UpdateCommand(updateInput(of, key, change, condition))));
}

/** @returns false where the condition did not hold, and nothing was deleted */
export function deleteItem<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  condition?: Condition<Attribute<Item>>,
): Promise<boolean> {
  return unlessRefused(dynamodb().send(new DeleteCommand(deleteInput(from, key, condition))));
}

/**
 * What came of a conditional change: the item as changed, or which attributes the item had when the condition
 * failed, none where there was no item.
 */
type Updated<Item> =
  | { readonly isUpdated: true; readonly item: Item }
  | { readonly isUpdated: false; readonly attributes: readonly string[] };

/** Changes and reads in one round trip. */
export async function updateAndGet<Name extends TableName, Item extends Keyed<Name>>(
  of: Table<Name, Item>,
  key: KeyOf<Name, Item>,
  change: Change<Item>,
  condition?: Condition<Attribute<Item>>,
): Promise<Updated<Item>> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({
        ...updateInput(of, key, change, condition),
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { isUpdated: true, item: Attributes as Item };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isUpdated: false, attributes: Object.keys(error.Item ?? {}) };
  }
}

async function unlessRefused(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type TableDefinition, type TableName, tables } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { type Condition, Placeholders } from './expression.ts';
import type { Attribute, Keyed, Table } from './table.ts';
import { physicalName } from './table-input.ts';

/** Items of one partition, in the order of their sort keys. */
export interface Range<Item> {
  readonly partition: string;
  /** Lowest sort key, itself included. */
  readonly from?: string;
  /** Highest sort key, itself included. */
  readonly to?: string;
  /** Sort keys are lower than this; stands alone. */
  readonly before?: string;
  readonly isDescending?: boolean;
  /** Leaves items out after they were read, and paid for. */
  readonly where?: Condition<Attribute<Item>>;
  /** Costs half, and may miss what was written a moment ago. */
  readonly isEventual?: boolean;
  /** How many items one response of the database holds; as many as fit into it by default. */
  readonly atOnce?: number | undefined;
}

/** The items of a range, one response of the database at a time. */
export function queryPages<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  range: Range<Item>,
): AsyncGenerator<readonly Item[]> {
  return pages(queryInput(from, range)) as AsyncGenerator<readonly Item[]>;
}

/** Every item of a range, however many responses it takes. */
export async function queryAll<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  range: Range<Item>,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(from, range)) items.push(...page);
  return items;
}

/** Some attributes of every item of a range. */
export async function queryAttributes<
  Name extends TableName,
  Item extends Keyed<Name>,
  Wanted extends Attribute<Item>,
>(from: Table<Name, Item>, range: Range<Item>, attributes: readonly Wanted[]): Promise<Pick<Item, Wanted>[]> {
  const items: Pick<Item, Wanted>[] = [];
  for await (const page of pages(queryInput(from, range, attributes)))
    items.push(...(page as Pick<Item, Wanted>[]));
  return items;
}

/** The first item of a range. */
export async function queryFirst<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  range: Omit<Range<Item>, 'where'>,
): Promise<Item | undefined> {
  const { Items = [] } = await dynamodb().send(new QueryCommand({ ...queryInput(from, range), Limit: 1 }));
  return Items[0] as Item | undefined;
}

/** How many items the range has; stops counting where there are as many as asked. */
export async function countItems<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  range: Range<Item>,
  atMost: number,
): Promise<number> {
  let count = 0;
  let ExclusiveStartKey: StartKey;
  do {
    const { Count = 0, LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({ ...queryInput(from, range), Select: 'COUNT', ExclusiveStartKey }),
    );
    count += Count;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && count < atMost);
  return count;
}

/** The responses of the database to one query, as stored. */
async function* pages(input: QueryCommandInput): AsyncGenerator<readonly object[]> {
  let ExclusiveStartKey: StartKey;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({ ...input, ExclusiveStartKey }),
    );
    yield Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** Where a query goes on; undefined at its beginning and at its end. */
export type StartKey = QueryCommandInput['ExclusiveStartKey'];

export function queryInput<Item extends object>(
  { name }: { readonly name: TableName },
  { partition, isDescending = false, where, isEventual = false, atOnce, ...bounds }: Range<Item>,
  attributes: readonly string[] = [],
): QueryCommandInput {
  const to = new Placeholders();
  const FilterExpression = where?.write(to);
  const ProjectionExpression = attributes.map((attribute) => to.name(attribute)).join(', ');
  return {
    TableName: physicalName(name),
    KeyConditionExpression: keyCondition(name, partition, bounds, to),
    ...(FilterExpression && { FilterExpression }),
    ...(ProjectionExpression && { ProjectionExpression }),
    ...to.inputs,
    ScanIndexForward: !isDescending,
    ConsistentRead: !isEventual,
    ...(atOnce !== undefined && { Limit: atOnce }),
  };
}

function keyCondition(
  name: TableName,
  partition: string,
  { from, to: last, before }: Pick<Range<object>, 'from' | 'to' | 'before'>,
  to: Placeholders,
): string {
  const { partitionKey, sortKey }: TableDefinition = tables[name];
  const partitionIs = `${to.name(partitionKey)} = ${to.value(partition)}`;
  if (sortKey === undefined || (from ?? last ?? before) === undefined) return partitionIs;
  const sort = to.name(sortKey);
  if (before !== undefined) return `${partitionIs} AND ${sort} < ${to.value(before)}`;
  if (from !== undefined && last !== undefined)
    return `${partitionIs} AND ${sort} BETWEEN ${to.value(from)} AND ${to.value(last)}`;
  const bound = from === undefined ? `<= ${to.value(last)}` : `>= ${to.value(from)}`;
  return `${partitionIs} AND ${sort} ${bound}`;
}

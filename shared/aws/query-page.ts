import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { queryInput, type Range, type StartKey } from './query.ts';
import type { Keyed, Table } from './table.ts';

interface PageNumber {
  /** From 1. */
  readonly pageNumber: number;
  readonly pageSize: number;
}

/** One page of a range; a page past the end is empty. Its cost grows with the items before it. */
export async function queryPage<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  range: Range<Item>,
  { pageNumber, pageSize }: PageNumber,
): Promise<Item[]> {
  const input = queryInput(from, range);
  const before = (pageNumber - 1) * pageSize;
  let ExclusiveStartKey = before > 0 ? await skip(input, before) : undefined;
  if (before > 0 && !ExclusiveStartKey) return [];
  const items: Item[] = [];
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({ ...input, Limit: pageSize - items.length, ExclusiveStartKey }),
    );
    items.push(...(Items as Item[]));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && items.length < pageSize);
  return items;
}

/** Where the item after the first `count` begins; undefined when there are no more than that. */
async function skip(input: QueryCommandInput, count: number): Promise<StartKey> {
  let rest = count;
  let ExclusiveStartKey: StartKey;
  do {
    const { Count = 0, LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({ ...input, Limit: rest, Select: 'COUNT', ExclusiveStartKey }),
    );
    rest -= Count;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (rest > 0 && ExclusiveStartKey);
  return ExclusiveStartKey;
}

import {
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './dynamodb.ts';

type Item = Record<string, unknown>;
type Query = Omit<QueryCommandInput, 'ExclusiveStartKey' | 'Limit' | 'Select' | 'ConsistentRead'>;

/** Every record of a query, however many answers it takes. */
export async function queryAll(query: Query): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const answer = await dynamodb().send(
      new QueryCommand({ ...query, ConsistentRead: true, ExclusiveStartKey }),
    );
    items.push(...(answer.Items ?? []));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** Every record of a table; for the operator only. */
export async function scanAll(scan: Omit<ScanCommandInput, 'ExclusiveStartKey'>): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const answer = await dynamodb().send(
      new ScanCommand({ ...scan, ConsistentRead: true, ExclusiveStartKey }),
    );
    items.push(...(answer.Items ?? []));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** One page of a query; a page past the end is empty. Its cost grows with the records before it. */
export async function queryPage(
  query: Query,
  page: { readonly pageNumber: number; readonly pageSize: number },
): Promise<Item[]> {
  const before = (page.pageNumber - 1) * page.pageSize;
  const start = before > 0 ? await skip(query, before) : undefined;
  if (before > 0 && !start) return [];
  const items: Item[] = [];
  let ExclusiveStartKey = start;
  do {
    const answer = await dynamodb().send(
      new QueryCommand({
        ...query,
        ConsistentRead: true,
        Limit: page.pageSize - items.length,
        ExclusiveStartKey,
      }),
    );
    items.push(...(answer.Items ?? []));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey && items.length < page.pageSize);
  return items;
}

/** Where the record after the first `count` begins; undefined when there are no more than that. */
async function skip(query: Query, count: number): Promise<Item | undefined> {
  let rest = count;
  let ExclusiveStartKey: Item | undefined;
  do {
    const answer = await dynamodb().send(
      new QueryCommand({ ...query, ConsistentRead: true, Limit: rest, Select: 'COUNT', ExclusiveStartKey }),
    );
    rest -= answer.Count ?? 0;
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (rest > 0 && ExclusiveStartKey);
  return ExclusiveStartKey;
}

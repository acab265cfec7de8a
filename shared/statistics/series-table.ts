import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { type Cell, cells } from './cell.ts';
import { activeSeriesOf, seriesOf } from './counters.ts';
import { bucketText, type Granularity, granularities } from './granularity.ts';
import { isKept, type Span } from './span.ts';

type Item = Readonly<Record<string, unknown>>;

/** What one edge served in one bucket. */
export interface CountedBucket {
  /** Place of the bucket in the span. */
  readonly index: number;
  readonly edgeId: string;
  readonly counts: readonly { readonly cell: Cell; readonly requests: number; readonly bytes: number }[];
}

/** The numbers of a property or an account in a span. */
export async function readSeries(owner: string, span: Span, now: Date): Promise<readonly CountedBucket[]> {
  const { granularity, from } = span;
  const found: CountedBucket[] = [];
  for await (const item of itemsOf(seriesOf(owner, granularity), granularity, span)) {
    const [text = '', edgeId = ''] = partsOf(item);
    const start = timeOf(text, granularity);
    if (!isKept(span, start, now)) continue;
    const index = (start - from) / granularities[granularity].milliseconds;
    found.push({ index, edgeId, counts: countsOf(item) });
  }
  return found;
}

/** How many requests each of the account's properties had on the days that the span touches, deleted ones too. */
export async function readActive(
  accountId: string,
  { from, to }: Span,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const days = { granularity: 'day', from, to: to - 1 + granularities.day.milliseconds } as const;
  for await (const item of itemsOf(activeSeriesOf(accountId), 'day', days)) {
    const [, propertyId = ''] = partsOf(item);
    found.set(propertyId, (found.get(propertyId) ?? 0) + Number(item.requests));
  }
  return found;
}

/** Items of a series whose buckets lie in the span, in the order of time, page by page. */
async function* itemsOf(series: string, granularity: Granularity, { from, to }: Span): AsyncGenerator<Item> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({
        TableName: tableName('statistics'),
        KeyConditionExpression: 'series = :series AND slot BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':series': series,
          ':from': bucketText(granularity, from),
          // An item's slot goes on with its edge, so none equals this and none of the last bucket comes after it.
          ':to': bucketText(granularity, to),
        },
        ExclusiveStartKey,
      }),
    );
    yield* Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

function partsOf(item: Item): readonly string[] {
  return String(item.slot).split('#');
}

function timeOf(text: string, granularity: Granularity): number {
  return Date.parse({ minute: `${text}:00Z`, hour: `${text}:00:00Z`, day: text }[granularity]);
}

function countsOf(item: Item): CountedBucket['counts'] {
  return cells.flatMap((cell) => {
    const requests = Number(item[cell.requestsName] ?? 0);
    return requests > 0 ? [{ cell, requests, bytes: Number(item[cell.bytesName] ?? 0) }] : [];
  });
}

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryPage } from '../aws/read.ts';
import type { PurgeType } from '../ground/purge-type.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { countPurges } from './purge-count-table.ts';
import type { PurgeRecord, PurgeStatus, PurgeSummary } from './purge-record.ts';
import { isOverdue, toPurgeSummary } from './purge-status.ts';
import { type PurgeItem, toRecord } from './purge-table.ts';
import { getQueueEmptyAt } from './queue-state-table.ts';

export interface HistoryQuery extends PageQuery {
  readonly status?: PurgeStatus | undefined;
  readonly type?: PurgeType | undefined;
}

const countLimit = 10_000;

/** Newest first; `totalRecords` counts up to 10,000 and then says 10,000. */
export async function listPurges(
  propertyId: string,
  query: HistoryQuery,
  now: Date,
): Promise<Page<PurgeSummary>> {
  const { pageNumber, pageSize } = query;
  if (query.status || query.type) {
    const all = await filtered(propertyId, query, now);
    const items = all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    return { items, pageNumber, pageSize, totalRecords: all.length };
  }
  const [items, total] = await Promise.all([
    queryPage(unexpired(propertyId, now), query),
    countPurges(propertyId, now),
  ]);
  const summaries = await toSummaries(
    items.map((item) => toRecord(item as unknown as PurgeItem)),
    now,
  );
  return { items: summaries, pageNumber, pageSize, totalRecords: Math.min(total, countLimit) };
}

/** Every purge of the property that the filter lets through, newest first, up to the limit. */
async function filtered(
  propertyId: string,
  { status, type }: HistoryQuery,
  now: Date,
): Promise<readonly PurgeSummary[]> {
  const found: PurgeSummary[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({ ...unexpired(propertyId, now), ConsistentRead: true, ExclusiveStartKey }),
    );
    const summaries = await toSummaries(
      Items.map((item) => toRecord(item as PurgeItem)),
      now,
    );
    found.push(
      ...summaries.filter((purge) => (!status || purge.status === status) && (!type || purge.type === type)),
    );
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey && found.length < countLimit);
  return found.slice(0, countLimit);
}

function unexpired(propertyId: string, now: Date) {
  return {
    TableName: tableName('purges'),
    KeyConditionExpression: 'propertyId = :property',
    FilterExpression: 'expiresAt > :now',
    ExpressionAttributeValues: { ':property': propertyId, ':now': Math.floor(now.getTime() / 1000) },
    ScanIndexForward: false,
  };
}

async function toSummaries(records: readonly PurgeRecord[], now: Date): Promise<readonly PurgeSummary[]> {
  const queueEmptyAt = records.some((record) => isOverdue(record, now)) ? await getQueueEmptyAt() : undefined;
  return records.map((record) => toPurgeSummary(record, { now, queueEmptyAt }));
}

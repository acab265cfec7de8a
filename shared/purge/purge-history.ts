import type { PurgeType } from '../ground/purge-type.ts';
import { take } from '../ground/take.ts';
import { touching } from '../ground/touches.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { countLimit } from './purge-count-table.ts';
import type { PurgeStatus, PurgeSummary } from './purge-record.ts';
import { isOverdue, toPurgeSummary } from './purge-status.ts';
import { type PurgeItem, purgesNewestFirst, purgesNewestFirstTouches, toRecord } from './purge-table.ts';
import { totalPurges, totalPurgesTouches } from './purge-total.ts';
import { getQueueEmptyAt, getQueueEmptyAtTouches } from './queue-state-table.ts';

interface HistoryQuery extends PageQuery {
  readonly status?: PurgeStatus | undefined;
  readonly type?: PurgeType | undefined;
}

/** So many are looked through at a time. */
const readTogether = 1_000;

export const listPurgesTouches = touching(
  purgesNewestFirstTouches,
  totalPurgesTouches,
  getQueueEmptyAtTouches,
);

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
  const before = (pageNumber - 1) * pageSize;
  const [items, total] = await Promise.all([
    take(purgesNewestFirst(propertyId, now, { wanted: before + pageSize }), {
      after: before,
      count: pageSize,
    }),
    totalPurges(propertyId, now),
  ]);
  return {
    items: await toSummaries(items, now),
    pageNumber,
    pageSize,
    totalRecords: Math.min(corrected(total, query, items.length), countLimit),
  };
}

/** A count is one off where only its own write failed; what the page holds knows better. */
function corrected(total: number, { pageNumber, pageSize }: PageQuery, found: number): number {
  const last = (pageNumber - 1) * pageSize + found;
  if (found === 0 && pageNumber > 1) return total;
  return found < pageSize ? last : Math.max(total, last);
}

/** Every purge of the property that the filter lets through, newest first, up to the limit. */
async function filtered(
  propertyId: string,
  { status, type }: HistoryQuery,
  now: Date,
): Promise<readonly PurgeSummary[]> {
  const found: PurgeSummary[] = [];
  const purges = purgesNewestFirst(propertyId, now);
  for (;;) {
    const some = await take(purges, { count: readTogether });
    const summaries = await toSummaries(some, now);
    found.push(
      ...summaries.filter((purge) => (!status || purge.status === status) && (!type || purge.type === type)),
    );
    if (found.length >= countLimit || some.length < readTogether) return found.slice(0, countLimit);
  }
}

export async function toSummaries(items: readonly PurgeItem[], now: Date): Promise<readonly PurgeSummary[]> {
  const records = items.map(toRecord);
  const queueEmptyAt = records.some((record) => isOverdue(record, now)) ? await getQueueEmptyAt() : undefined;
  return records.map((record) => toPurgeSummary(record, { now, queueEmptyAt }));
}

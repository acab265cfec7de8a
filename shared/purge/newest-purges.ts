import { inParallel } from '../ground/parallel.ts';
import { take } from '../ground/take.ts';
import { toSummaries } from './purge-history.ts';
import type { PurgeSummary } from './purge-record.ts';
import { type PurgeItem, purgesNewestFirst } from './purge-table.ts';

/** So many records are read at most. */
export const readLimit = 10_000;

const concurrentReads = 16;

/** Sorts after every id. */
const afterAll = '~';

export type PropertyPurge = Readonly<{ propertyId: string }> & PurgeSummary;

interface NewestPurges {
  /** Newest first. */
  readonly purges: readonly PropertyPurge[];
  /** Whether there may be more than were read. */
  readonly hasMore: boolean;
  /** From then on nothing is missing; undefined where that cannot be said. */
  readonly isCompleteFrom: string | undefined;
}

interface Wanted {
  readonly now: Date;
  /** How many suffice; as many as may be read by default. */
  readonly count?: number | undefined;
  /** How many records may be read. */
  readonly limit?: number | undefined;
}

/**
 * The newest purges of all these properties together; for the operator only, since it asks for each property.
 * @param isRead is told how many records are read
 */
export async function newestPurges(
  propertyIds: readonly string[],
  { now, limit = readLimit, count = limit }: Wanted,
  isRead: (records: number) => void,
): Promise<NewestPurges> {
  const histories = propertyIds.map((propertyId) => new History(propertyId, now));
  let left = limit;
  const read = async (history: History, records: number): Promise<void> => {
    left -= records;
    const unused = records - (await history.read(records));
    left += unused;
    isRead(limit - left);
  };
  // Half of what may be read is left for the properties that turn out to have the newest.
  const share = Math.floor(limit / 2 / Math.max(1, histories.length));
  const first = Math.max(1, Math.min(share, count));
  await inParallel(histories.slice(0, limit), concurrentReads, (history) => read(history, first));
  for (let next = leading(histories, count); next && left > 0; next = leading(histories, count))
    await read(next, Math.min(left, next.items.length * 2));
  return { ...(await summarized(histories, count, now)), ...rest(histories) };
}

/** A property's purges, newest first, as far as they were read. */
class History {
  readonly items: PurgeItem[] = [];
  isOpen = true;
  private readonly propertyId: string;
  private readonly now: Date;

  constructor(propertyId: string, now: Date) {
    this.propertyId = propertyId;
    this.now = now;
  }

  /** Id of the last that was read. */
  get oldest(): string {
    return this.items.at(-1)?.id ?? afterAll;
  }

  /** Reads on. @returns how many records that were */
  async read(pageSize: number): Promise<number> {
    const range = { wanted: pageSize, before: this.oldest };
    const page = await take(purgesNewestFirst(this.propertyId, this.now, range), { count: pageSize });
    this.isOpen = page.length === pageSize;
    this.items.push(...page);
    return page.length;
  }
}

/** The history in which the newest purge that was not read may be; undefined once enough are known. */
function leading(histories: readonly History[], count: number): History | undefined {
  const next = ahead(histories);
  const ids = histories.flatMap(({ items }) => items.map(({ id }) => id));
  if (!next || ids.length < count) return next;
  const last = ids.sort().at(-count) ?? '';
  return next.oldest > last ? next : undefined;
}

function ahead(histories: readonly History[]): History | undefined {
  const open = histories.filter(({ isOpen }) => isOpen);
  return open.length === 0
    ? undefined
    : open.reduce((newest, each) => (each.oldest > newest.oldest ? each : newest));
}

async function summarized(histories: readonly History[], count: number, now: Date) {
  const items = histories
    .flatMap(({ items }) => items)
    .sort((one, other) => (one.id > other.id ? -1 : 1))
    .slice(0, count);
  const summaries = await toSummaries(items, now);
  return {
    purges: items.flatMap(({ propertyId }, index) => {
      const summary = summaries[index];
      return summary ? [{ propertyId, ...summary }] : [];
    }),
  };
}

function rest(histories: readonly History[]) {
  const next = ahead(histories);
  return { hasMore: next !== undefined, isCompleteFrom: next?.items.at(-1)?.createdAt };
}

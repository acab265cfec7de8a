import { busiest, type Group, groupLimit, readBusiestProperties } from './groups.ts';
import { readSeries } from './series-table.ts';
import { type Span, spanOf } from './span.ts';
import type { Statistics, StatisticsQuery } from './statistics.ts';
import { groupTallies, shownSeries, type TallySeries, tallyOf } from './tally-series.ts';

type Groups = Iterable<readonly [string, TallySeries]>;

export function propertyStatistics(
  propertyId: string,
  query: StatisticsQuery,
  now: Date,
): Promise<Statistics> {
  return read(propertyId, query, now, async (_, all) => [[propertyId, all]]);
}

export function accountStatistics(accountId: string, query: StatisticsQuery, now: Date): Promise<Statistics> {
  return read(accountId, query, now, (span) => readBusiestProperties(accountId, span, groupLimit(span), now));
}

/** The series of a property or an account, its groups taken from the same items where they can be. */
async function read(
  owner: string,
  { groupBy, ...asked }: StatisticsQuery,
  now: Date,
  byProperty: (span: Span, all: TallySeries) => Promise<Groups>,
): Promise<Statistics> {
  const span = spanOf(asked, now);
  const buckets = await readSeries(owner, span, now);
  const all = tallyOf(buckets);
  const groupsOf = async (): Promise<readonly Group[]> => {
    if (!groupBy) return [];
    const groups = groupBy === 'property' ? await byProperty(span, all) : groupTallies(buckets, groupBy);
    return busiest(groups, all, groupLimit(span));
  };
  const groups = await groupsOf();
  return {
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    granularity: span.granularity,
    ...shown(all, span, now),
    ...(groupBy && { groups: groups.map(({ key, series }) => ({ key, ...shown(series, span, now) })) }),
  };
}

function shown(series: TallySeries, span: Span, now: Date) {
  const { totals, series: points } = shownSeries(series, span, now);
  return { totals, series: [...points] };
}

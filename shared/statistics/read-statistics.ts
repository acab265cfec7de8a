import { type Breakdown, breakDown, busiest, type Group, readBusiestProperties } from './breakdown.ts';
import { readRollups } from './rollup-table.ts';
import { type Series, seriesOf, shownSeries } from './series.ts';
import type { Statistics, StatisticsQuery } from './statistics.ts';
import { type TimeRange, timeRangeOf } from './time-range.ts';

export function propertyStatistics(
  propertyId: string,
  query: StatisticsQuery,
  now: Date,
): Promise<Statistics> {
  return read(propertyId, query, now, async (_, all) => new Map([[propertyId, all]]));
}

export function accountStatistics(accountId: string, query: StatisticsQuery, now: Date): Promise<Statistics> {
  return read(accountId, query, now, (range) => readBusiestProperties(accountId, range, now));
}

/** The series of a property or an account, broken down by what was read for it where that can be. */
async function read(
  owner: string,
  { groupBy, ...asked }: StatisticsQuery,
  now: Date,
  byProperty: (range: TimeRange, all: Series) => Promise<Breakdown>,
): Promise<Statistics> {
  const range = timeRangeOf(asked, now);
  const rollups = await readRollups(owner, range, now);
  const all = seriesOf(rollups);
  const groupsBy = async (by: NonNullable<typeof groupBy>): Promise<readonly Group[]> =>
    busiest(by === 'property' ? await byProperty(range, all) : breakDown(rollups, by), all, range);
  const groups = groupBy && (await groupsBy(groupBy));
  return {
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
    granularity: range.granularity,
    ...shownSeries(all, range, now),
    ...(groups && {
      groups: groups.map(({ key, series }) => ({ key, ...shownSeries(series, range, now) })),
    }),
  };
}

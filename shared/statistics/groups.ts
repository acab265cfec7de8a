import { readActive, readSeries } from './series-table.ts';
import { pointsIn, type Span } from './span.ts';
import { addSeries, atLeastZero, sumOf, type TallySeries, tallyOf } from './tally-series.ts';

export interface Group {
  readonly key: string;
  readonly series: TallySeries;
}

const maximumGroups = 100;

/** An answer must stay under 6 MB, and a point takes up to 300 bytes of it. */
const maximumGroupPoints = 18_000;

interface Ranked extends Group {
  readonly requests: number;
}

const readAtOnce = 5;

export function groupLimit(span: Span): number {
  return Math.min(maximumGroups, Math.floor(maximumGroupPoints / pointsIn(span)) - 1);
}

/** The busiest groups, and all others as `other` where there are more. */
export function busiest(
  groups: Iterable<readonly [string, TallySeries]>,
  all: TallySeries,
  limit: number,
): readonly Group[] {
  const ranked = rank(groups);
  const shown = ranked.slice(0, limit);
  const rest = without(all, shown);
  return sumOf(rest).requests > 0 ? [...shown, { key: 'other', series: rest }] : shown;
}

/**
 * The account's busiest properties. Their requests on the span's days can only be more than those in the span, so
 * that reading ends where no other property can be among the busiest: mostly after as many as are shown.
 */
export async function readBusiestProperties(
  accountId: string,
  span: Span,
  limit: number,
  now: Date,
): Promise<ReadonlyMap<string, TallySeries>> {
  const candidates = [...(await readActive(accountId, span))].sort(([, a], [, b]) => b - a);
  const found = new Map<string, TallySeries>();
  for (let start = 0; start < candidates.length; start += readAtOnce) {
    const least = rank(found)[limit - 1]?.requests;
    if (least !== undefined && least >= (candidates[start]?.[1] ?? 0)) break;
    const next = candidates.slice(start, start + readAtOnce);
    const read = await Promise.all(next.map(([id]) => readSeries(id, span, now)));
    for (const [index, [id]] of next.entries()) found.set(id, tallyOf(read[index] ?? []));
  }
  return found;
}

function rank(groups: Iterable<readonly [string, TallySeries]>): readonly Ranked[] {
  return [...groups]
    .map(([key, series]) => ({ key, series, requests: sumOf(series).requests }))
    .filter(({ requests }) => requests > 0)
    .sort(busiestFirst);
}

function busiestFirst(a: Ranked, b: Ranked): number {
  return b.requests - a.requests || (a.key < b.key ? -1 : 1);
}

function without(all: TallySeries, groups: readonly Group[]): TallySeries {
  const rest: TallySeries = new Map();
  addSeries(rest, all);
  for (const { series } of groups) addSeries(rest, series, -1);
  // All of it is read a moment before its parts, which may have grown since.
  return atLeastZero(rest);
}

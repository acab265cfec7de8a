import { isCovered } from './cursor.ts';

/** What had been changed at some time. */
export interface Mark {
  readonly at: string;
  /** The shards' counters. */
  readonly positions: readonly number[];
}

/** How far an edge has come. */
export interface EdgeSync {
  readonly positions: readonly number[];
  /** When it began with everything, until it has come to the end. */
  readonly begunAt?: string;
}

const allKeptMilliseconds = 10 * 60_000;
const longestMilliseconds = 31 * 86_400_000;

/**
 * Since when the edge lacks something; undefined where it has all that was seen. Of what is older than ten minutes the
 * time is up to twice as long.
 * @param marks the oldest first
 */
export function lagsSince({ positions, begunAt = '' }: EdgeSync, marks: readonly Mark[]): string | undefined {
  const missed = marks.find((mark) => !isCovered(mark.positions, positions));
  if (!missed) return undefined;
  return missed.at > begunAt ? missed.at : begunAt;
}

/** The marks with one of now, the same where nothing has changed: many of the last minutes, few of long ago. */
export function withMark(marks: readonly Mark[], counters: readonly number[], now: Date): readonly Mark[] {
  const newest = marks.at(-1);
  if (newest && isCovered(counters, newest.positions)) return marks;
  return thinned([...marks, { at: now.toISOString(), positions: counters }], now.getTime());
}

/** The further back, the further apart. */
function thinned(marks: readonly Mark[], now: number): readonly Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks.toReversed()) {
    const age = now - Date.parse(mark.at);
    const next = kept.at(-1);
    const nextAge = next ? now - Date.parse(next.at) : 0;
    if (age > longestMilliseconds) break;
    if (age <= allKeptMilliseconds || age >= 2 * nextAge) kept.push(mark);
  }
  return kept.toReversed();
}

import { ApiError } from '../ground/api-error.ts';
import {
  bucketExpiry,
  bucketStart,
  dayMilliseconds,
  type Granularity,
  granularities,
} from './granularity.ts';

/** Whole buckets, in Unix milliseconds; the end is not in it. */
export interface TimeRange {
  readonly granularity: Granularity;
  readonly from: number;
  readonly to: number;
}

const maximumPoints = 2_000;

/** Edges send every ten seconds; a retry and a slow network take the rest. */
const latenessMilliseconds = 60_000;

const coarser = { minute: 'hour', hour: 'day', day: undefined } as const;

export function pointsIn(range: TimeRange): number {
  return (range.to - range.from) / widthOf(range);
}

/**
 * The range that was asked for, widened to whole buckets.
 * @throws ApiError `invalid`
 */
export function timeRangeOf(
  asked: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly granularity: Granularity;
  },
  now: Date,
): TimeRange {
  const { granularity } = asked;
  const to = asked.to === undefined ? now.getTime() : Date.parse(asked.to);
  const from = asked.from === undefined ? to - dayMilliseconds : Date.parse(asked.from);
  if (from >= to)
    throw new ApiError(
      'invalid',
      'Invalid request: from must be before to; without to it must be in the past.',
    );
  const start = bucketStart(granularity, from);
  const end = bucketStart(granularity, to - 1) + widthOf({ granularity });
  const range = { granularity, from: start, to: end };
  requireFewPoints(range);
  return range;
}

/** Beginnings of the range's buckets. */
export function bucketsOf(range: TimeRange): readonly number[] {
  return Array.from({ length: pointsIn(range) }, (_, index) => range.from + index * widthOf(range));
}

export function isComplete(range: TimeRange, start: number, now: Date): boolean {
  return start + widthOf(range) + latenessMilliseconds <= now.getTime();
}

/** What DynamoDB has not removed yet is gone all the same. */
export function isKept({ granularity }: TimeRange, start: number, now: Date): boolean {
  return bucketExpiry(granularity, start) * 1000 > now.getTime();
}

function widthOf({ granularity }: Pick<TimeRange, 'granularity'>): number {
  return granularities[granularity].milliseconds;
}

function requireFewPoints(range: TimeRange): void {
  if (pointsIn(range) <= maximumPoints) return;
  const next = coarser[range.granularity];
  const advice = next ? `, or take granularity=${next}` : '';
  throw new ApiError(
    'invalid',
    `Invalid request: from and to are ${pointsIn(range)} points apart. Ask for at most 2,000${advice}.`,
  );
}

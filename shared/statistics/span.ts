import { ApiError } from '../ground/api-error.ts';
import {
  bucketExpiry,
  bucketStart,
  dayMilliseconds,
  type Granularity,
  granularities,
} from './granularity.ts';

/** A span of whole buckets, in Unix milliseconds; its end is not in it. */
export interface Span {
  readonly granularity: Granularity;
  readonly from: number;
  readonly to: number;
}

const maximumPoints = 2_000;

/** Edges send every ten seconds; a retry and a slow network take the rest. */
const latenessMilliseconds = 60_000;

const coarser = { minute: 'hour', hour: 'day', day: undefined } as const;

export function pointsIn(span: Span): number {
  return (span.to - span.from) / widthOf(span);
}

/**
 * The span that was asked for, widened to whole buckets.
 * @throws ApiError `invalid`
 */
export function spanOf(
  asked: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly granularity: Granularity;
  },
  now: Date,
): Span {
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
  const span = { granularity, from: start, to: end };
  requireFewPoints(span);
  return span;
}

/** Beginnings of the span's buckets. */
export function bucketsOf(span: Span): readonly number[] {
  return Array.from({ length: pointsIn(span) }, (_, index) => span.from + index * widthOf(span));
}

export function isComplete(span: Span, start: number, now: Date): boolean {
  return start + widthOf(span) + latenessMilliseconds <= now.getTime();
}

/** What DynamoDB has not removed yet is gone all the same. */
export function isKept({ granularity }: Span, start: number, now: Date): boolean {
  return bucketExpiry(granularity, start) * 1000 > now.getTime();
}

function widthOf({ granularity }: Pick<Span, 'granularity'>): number {
  return granularities[granularity].milliseconds;
}

function requireFewPoints(span: Span): void {
  if (pointsIn(span) <= maximumPoints) return;
  const next = coarser[span.granularity];
  const advice = next ? `, or take granularity=${next}` : '';
  throw new ApiError(
    'invalid',
    `Invalid request: from and to are ${pointsIn(span)} points apart. Ask for at most 2,000${advice}.`,
  );
}

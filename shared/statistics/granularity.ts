/** How finely metrics are kept, and for how long. */
export const granularities = {
  minute: { milliseconds: 60_000, keptDays: 35, letter: 'm', textLength: 16, textEnd: ':00Z' },
  hour: { milliseconds: 3_600_000, keptDays: 400, letter: 'h', textLength: 13, textEnd: ':00:00Z' },
  day: { milliseconds: 86_400_000, keptDays: 1_096, letter: 'd', textLength: 10, textEnd: '' },
} as const;

export type Granularity = keyof typeof granularities;

export const dayMilliseconds = granularities.day.milliseconds;

/** The beginning of the bucket that a time lies in. */
export function bucketStart(granularity: Granularity, milliseconds: number): number {
  const width = granularities[granularity].milliseconds;
  return Math.floor(milliseconds / width) * width;
}

/** Text whose alphabetical order is the order of buckets: `2026-11-20T09`. */
export function bucketText(granularity: Granularity, milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, granularities[granularity].textLength);
}

/** The time that `bucketText` wrote. */
export function parseBucketText(granularity: Granularity, text: string): number {
  return Date.parse(text + granularities[granularity].textEnd);
}

/** When a bucket is no longer shown, in Unix seconds. */
export function bucketExpiry(granularity: Granularity, start: number): number {
  return (start + granularities[granularity].keptDays * dayMilliseconds) / 1000;
}

import { timeOf } from '../ground/id.ts';
import { fromEnvironment, metricNamespaceVariable, type Touches } from '../ground/resources.ts';
import { lastCompletion, type Progress } from './progress.ts';
import type { PurgeKey } from './purge.ts';

/** Metric of the milliseconds from a purge's acceptance until the last edge had done it. */
export const completionTimeMetric = 'PurgeCompletionTime';

/** CloudWatch takes so many values from one line. */
const mostValues = 100;

/** Of purges that were completed since a line was last written. */
const times: number[] = [];

export const noteCompletionTouches = { metrics: true } as const satisfies Touches;

/**
 * @param progress of a purge that is completed
 * @param now when that was, where there are no edges
 */
export function noteCompletion({ id }: PurgeKey, progress: Progress, now: Date): void {
  const time = (lastCompletion(progress) ?? now.getTime()) - timeOf(id).getTime();
  // Clocks differ by milliseconds, and CloudWatch gives no percentiles of a metric with negative values.
  times.push(Math.max(0, time));
}

/**
 * Writes what was noted, as few lines in CloudWatch's embedded metric format: past the console, which would wrap them in
 * a `message` where they are not read.
 */
export function writeCompletionTimes(): void {
  while (times.length > 0)
    process.stdout.write(`${JSON.stringify(metricEntry(times.splice(0, mostValues)))}\n`);
}

function metricEntry(values: readonly number[]): object {
  const Metrics = [{ Name: completionTimeMetric, Unit: 'Milliseconds' }];
  const directive = { Namespace: fromEnvironment(metricNamespaceVariable), Dimensions: [[]], Metrics };
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, [completionTimeMetric]: values };
}

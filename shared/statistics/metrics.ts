import type { Dimension } from './dimension.ts';

interface Metrics {
  requests: number;
  bytes: number;
}

/** How everything is counted, from a line of a log to the totals of a response. */
export type MetricsByDimension = Map<Dimension, Metrics>;

/** A batch of lines, or a part of it: by host name, then by minute in Unix minutes. */
export type LogMetrics = ReadonlyMap<string, MinuteMetrics>;
export type MinuteMetrics = Map<number, MetricsByDimension>;

export function addMetrics(
  to: MetricsByDimension,
  dimension: Dimension,
  requests: number,
  bytes: number,
): void {
  const known = to.get(dimension);
  if (!known) {
    to.set(dimension, { requests, bytes });
    return;
  }
  known.requests += requests;
  known.bytes += bytes;
}

/** Adds all metrics of `from`; with the sign -1 it takes them away. */
export function addAllMetrics(to: MetricsByDimension, from: MetricsByDimension, sign: 1 | -1 = 1): void {
  for (const [dimension, { requests, bytes }] of from)
    addMetrics(to, dimension, sign * requests, sign * bytes);
}

export function atLeastZero(metrics: MetricsByDimension): void {
  for (const each of metrics.values()) {
    each.requests = Math.max(0, each.requests);
    each.bytes = Math.max(0, each.bytes);
  }
}

export function requestsIn(metrics: MetricsByDimension): number {
  let sum = 0;
  for (const { requests } of metrics.values()) sum += requests;
  return sum;
}

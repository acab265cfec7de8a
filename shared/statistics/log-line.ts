import { type CacheResult, type Dimension, dimensionOf, isStatus } from './dimension.ts';

/** What of a line is counted. */
export interface LogLine {
  /** Unix seconds. */
  readonly time: number;
  readonly host: string;
  readonly bytes: number;
  readonly dimension: Dimension;
}

/**
 * Varnish's `handling`. A hit was served from the cache; a miss was looked up there and fetched; a pass never
 * asked the cache. `hitmiss` and `hitpass` met a note that the response cannot be shared.
 */
const resultsByHandling = new Map<unknown, CacheResult>([
  ['hit', 'hit'],
  ['miss', 'miss'],
  ['hitmiss', 'miss'],
  ['pass', 'pass'],
  ['hitpass', 'pass'],
  ['pipe', 'pass'],
  ['synth', 'pass'],
  ['error', 'pass'],
]);

/** Varnish writes a bare hyphen, or nothing, where it has no number, and that is no JSON. */
const missingNumber = /:-?(?=[,}])/g;

/**
 * Reads a line of the edge node, by hand because this runs for every request that the network serves.
 * @returns a text that says why it cannot be counted, where it cannot
 */
export function readLogLine(line: string): LogLine | string {
  const value = parse(line);
  if (!isRecord(value)) return 'not a JSON object';
  const { ts, h: host, m, s, b, hd } = value;
  const time = timeOf(ts);
  if (!(time >= 0)) return 'ts is not a time in Unix seconds';
  if (typeof host !== 'string') return 'h is not a host';
  if (m === 'PURGE') return 'a purge is not traffic';
  if (!isStatus(s)) return 's is not a status from 100 to 599';
  const bytes = b ?? 0;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0)
    return 'b is not a number of bytes';
  const cache = resultsByHandling.get(hd);
  if (cache === undefined) return 'hd is no handling of Varnish';
  return { time, host, bytes, dimension: dimensionOf(cache, s) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    try {
      return JSON.parse(line.replace(missingNumber, ':null'));
    } catch {
      return undefined;
    }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function timeOf(ts: unknown): number {
  return typeof ts === 'number' ? ts : typeof ts === 'string' && ts !== '' ? Number(ts) : Number.NaN;
}

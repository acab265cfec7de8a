import { type CacheResult, type CellCounts, cellOf, highestStatus, lowestStatus } from './cell.ts';

/** Counts by the minute, in Unix minutes. */
export type MinuteCounts = Map<number, CellCounts>;

/** What of a line is counted. */
export interface LogLine {
  /** Unix seconds. */
  time: number;
  host: string;
  bytes: number;
  cell: number;
}

/**
 * Varnish's `handling`. A hit was answered from the cache; a miss was looked up there and fetched; a pass never
 * asked the cache. `hitmiss` and `hitpass` met a note that the answer cannot be shared.
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
 * Reads a line of the Varnish kit into `into`, by hand because this runs for every request that the network serves.
 * @returns why it cannot be counted; undefined when it can
 */
export function readLogLine(line: string, into: LogLine): string | undefined {
  const value = parse(line);
  if (typeof value !== 'object' || value === null) return 'not a JSON object';
  const { ts, h, m, s, b, hd } = value as Readonly<Record<string, unknown>>;
  const time = timeOf(ts);
  if (!(time >= 0)) return 'ts is not a time in Unix seconds';
  if (typeof h !== 'string') return 'h is not a host';
  if (m === 'PURGE') return 'a purge is not traffic';
  if (typeof s !== 'number' || !Number.isInteger(s) || s < lowestStatus || s > highestStatus)
    return 's is not a status from 100 to 599';
  const bytes = b ?? 0;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0)
    return 'b is not a number of bytes';
  const cache = resultsByHandling.get(hd);
  if (cache === undefined) return 'hd is no handling of Varnish';
  into.time = time;
  into.host = h;
  into.bytes = bytes;
  into.cell = cellOf(cache, s);
  return undefined;
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

function timeOf(ts: unknown): number {
  return typeof ts === 'number' ? ts : typeof ts === 'string' && ts !== '' ? Number(ts) : Number.NaN;
}

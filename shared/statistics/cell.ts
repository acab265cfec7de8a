/**
 * What a counter item holds: for each pair of cache result and status one number of requests and one of bytes,
 * so that every grouping can be read from the same item.
 */
export const cacheResults = ['hit', 'miss', 'pass'] as const;
export type CacheResult = (typeof cacheResults)[number];

/**
 * Statuses that are counted one by one; all others together with their class, so that what one request adds to an
 * item stays within what DynamoDB takes in one expression: 4 KB and 300 operators.
 */
const ownStatuses: readonly number[] = [
  ...[101, 200, 201, 202, 204, 206, 207, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414, 415, 416],
  ...[421, 422, 425, 426, 429, 431, 444, 451, 499, 500, 501, 502, 503, 504, 505],
];
const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Names of what statuses are counted as: `404`, or `4xx` for one that is rare. */
export const statusKeys: readonly string[] = [...ownStatuses.map(String), ...classes];

export const lowestStatus = 100;
export const highestStatus = 599;

const indexByStatus = Uint8Array.from({ length: highestStatus + 1 }, (_, status) => {
  const own = ownStatuses.indexOf(status);
  return own >= 0 ? own : ownStatuses.length + Math.max(0, Math.floor(status / 100) - 1);
});

export interface Cell {
  readonly cache: CacheResult;
  readonly status: string;
  /** Attributes of a counter item. */
  readonly requestsName: string;
  readonly bytesName: string;
}

/** Every cell, at the place that `cellOf` names. */
export const cells: readonly Cell[] = cacheResults.flatMap((cache) =>
  statusKeys.map((status) => ({
    cache,
    status,
    requestsName: `${cache.charAt(0)}${status}`,
    bytesName: `${cache.charAt(0).toUpperCase()}${status}`,
  })),
);

export interface Count {
  requests: number;
  bytes: number;
}

/** Counts by cell. */
export type CellCounts = Map<number, Count>;

/** The cell of a request, as a small number. */
export function cellOf(cache: CacheResult, status: number): number {
  return cacheResults.indexOf(cache) * statusKeys.length + (indexByStatus[status] ?? 0);
}

export function addCount(counts: CellCounts, cell: number, requests: number, bytes: number): void {
  const count = counts.get(cell);
  if (!count) {
    counts.set(cell, { requests, bytes });
    return;
  }
  count.requests += requests;
  count.bytes += bytes;
}

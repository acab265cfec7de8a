/**
 * By what requests are counted: the cache's part in each, and its status. One stored item holds metrics for every
 * pair of them, so that all breakdowns but that by property are read from the same items.
 */
export interface Dimension {
  readonly cache: CacheResult;
  readonly status: StatusKey;
  /** Attributes of a stored item. */
  readonly requestsAttribute: MetricAttribute;
  readonly bytesAttribute: MetricAttribute;
}

const cacheResults = ['hit', 'miss', 'pass'] as const;
export type CacheResult = (typeof cacheResults)[number];

/**
 * Statuses that are counted one by one; all others together with their class, so that what one request adds to an
 * item stays within what DynamoDB takes in one expression: 4 KB and 300 operators.
 */
const ownStatuses = [
  ...[101, 200, 201, 202, 204, 206, 207, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 414, 415, 416],
  ...[421, 422, 425, 426, 429, 431, 444, 451, 499, 500, 501, 502, 503, 504, 505],
] as const;
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const statusKeys = [...ownStatuses.map((status) => `${status}` as const), ...statusClasses] as const;

/** What a status is counted as: `404`, or `4xx` for one that is rare. */
type StatusKey = (typeof statusKeys)[number];

/** `h200r` and `h200b`: requests and bytes of hits of status 200. Short, since DynamoDB's price goes by size. */
export type MetricAttribute = `${(typeof cacheLetters)[CacheResult]}${StatusKey}${'r' | 'b'}`;

const cacheLetters = { hit: 'h', miss: 'm', pass: 'p' } as const;

const lowestStatus = 100;
const highestStatus = 599;

export const dimensions: readonly Dimension[] = cacheResults.flatMap((cache) =>
  statusKeys.map((status) => ({
    cache,
    status,
    requestsAttribute: `${cacheLetters[cache]}${status}r` as const,
    bytesAttribute: `${cacheLetters[cache]}${status}b` as const,
  })),
);

const byStatus = {
  hit: dimensionsByStatus('hit'),
  miss: dimensionsByStatus('miss'),
  pass: dimensionsByStatus('pass'),
};

export function isStatus(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= lowestStatus && value <= highestStatus
  );
}

/** The dimension in which a request counts. */
export function dimensionOf(cache: CacheResult, status: number): Dimension {
  const dimension = byStatus[cache][status];
  if (!dimension) throw new Error(`${status} is not a status`);
  return dimension;
}

function dimensionsByStatus(cache: CacheResult): readonly (Dimension | undefined)[] {
  const byKey = new Map<string, Dimension>();
  for (const dimension of dimensions) if (dimension.cache === cache) byKey.set(dimension.status, dimension);
  return Array.from(
    { length: highestStatus + 1 },
    (_, status) => byKey.get(String(status)) ?? byKey.get(`${Math.floor(status / 100)}xx`),
  );
}

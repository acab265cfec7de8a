import type { IncomingHttpHeaders } from 'node:http';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import type { Headers } from './headers.ts';

const cacheableStatuses = new Set([200, 203, 300, 301, 404, 410]);

/** What asks for one visitor is never served from the cache, nor stored, unless a rule keeps it from the origin. */
export function isCacheableRequest(
  method: string,
  headers: IncomingHttpHeaders,
  { bypass, requestHeaders }: Outcome,
): boolean {
  const ruled = Object.keys(requestHeaders).map((name) => name.toLowerCase());
  const names = Object.keys(headers).filter((name) => !ruled.includes(name));
  const isOfOneVisitor = names.includes('authorization') || names.includes('cookie');
  return (method === 'GET' || method === 'HEAD') && !bypass && !isOfOneVisitor;
}

/** For how long a response may be kept, in seconds; 0 for not at all. */
export function ttlSeconds(
  statusCode: number,
  headers: IncomingHttpHeaders,
  { cacheTtlSeconds, cacheTtlOverridesOrigin }: Outcome,
): number {
  const cacheControl = cacheControlOf(headers);
  if (!cacheableStatuses.has(statusCode) || headers['set-cookie'] || variesByAll(headers)) return 0;
  if (/no-store|private/.test(cacheControl)) return 0;
  if (cacheTtlOverridesOrigin) return cacheTtlSeconds ?? 0;
  return saidSeconds(cacheControl, headers) ?? cacheTtlSeconds ?? 0;
}

/** What a browser is told, where the edge tells it: what the origin keeps from being stored stays so. */
export function browserCacheControl(
  statusCode: number,
  headers: IncomingHttpHeaders,
  { browserTtlSeconds }: Outcome,
): string | undefined {
  const cacheControl = cacheControlOf(headers);
  const isKept = cacheableStatuses.has(statusCode) || statusCode === 206 || statusCode === 304;
  if (browserTtlSeconds === null || !isKept || /no-store/.test(cacheControl)) return undefined;
  return `${/private/.test(cacheControl) ? 'private, ' : ''}max-age=${browserTtlSeconds}`;
}

function variesByAll({ vary }: IncomingHttpHeaders): boolean {
  return namesIn(vary).includes('*');
}

/** The request headers that a response depends on, with their values. */
export function varyOf(response: IncomingHttpHeaders, request: Headers): Record<string, string> {
  return Object.fromEntries(namesIn(response.vary).map((name) => [name, String(request[name] ?? '')]));
}

/** In lower case; several lines of the header come as an array. */
function namesIn(header: string | readonly string[] | undefined): readonly string[] {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** In which the origin gives a response its tags, as the edge node reads them by default. */
export const tagHeader = 'surrogate-key';

export function tagsOf(headers: IncomingHttpHeaders): readonly string[] {
  return String(headers[tagHeader] ?? '')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '');
}

function cacheControlOf(headers: IncomingHttpHeaders): string {
  return String(headers['cache-control'] ?? '').toLowerCase();
}

/** What the origin says; undefined where it says nothing. */
function saidSeconds(cacheControl: string, headers: IncomingHttpHeaders): number | undefined {
  if (/no-cache/.test(cacheControl)) return 0;
  return (
    directive(cacheControl, 's-maxage') ?? directive(cacheControl, 'max-age') ?? secondsToExpiry(headers)
  );
}

function directive(cacheControl: string, name: string): number | undefined {
  const value = new RegExp(`(?:^|[,\\s])${name}=(\\d+)`).exec(cacheControl)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** What is no date, as the usual `0`, has expired. */
function secondsToExpiry({ expires, date }: IncomingHttpHeaders): number | undefined {
  if (expires === undefined) return undefined;
  const sentAt = Date.parse(String(date ?? '')) || Date.now();
  return Math.max(0, Math.floor(((Date.parse(expires) || 0) - sentAt) / 1000));
}

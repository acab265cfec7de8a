import type { IncomingHttpHeaders } from 'node:http';
import { endToEnd, type Headers } from './origin-request.ts';

const defaultTtlSeconds = 120;
const cacheableStatuses = new Set([200, 203, 300, 301, 404, 410]);

/** Requests that carry who asks are never served from the cache, nor stored. */
export function isCacheableRequest(method: string, headers: IncomingHttpHeaders): boolean {
  return (method === 'GET' || method === 'HEAD') && !headers.authorization && !headers.cookie;
}

/** For how long a response may be kept, in seconds; 0 for not at all. */
export function ttlSeconds(statusCode: number, headers: IncomingHttpHeaders): number {
  const cacheControl = String(headers['cache-control'] ?? '').toLowerCase();
  if (!cacheableStatuses.has(statusCode) || headers['set-cookie'] || headers.vary === '*') return 0;
  if (/no-store|no-cache|private/.test(cacheControl)) return 0;
  return directive(cacheControl, 's-maxage') ?? directive(cacheControl, 'max-age') ?? defaultTtlSeconds;
}

/** The request headers that a response depends on, with their values. */
export function varyOf(response: IncomingHttpHeaders, request: Headers): Record<string, string> {
  return Object.fromEntries(
    String(response.vary ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => [name, String(request[name] ?? '')]),
  );
}

/** In which the origin gives a response its tags, as the Varnish kit reads them by default. */
const tagHeader = 'surrogate-key';

export function tagsOf(headers: IncomingHttpHeaders): readonly string[] {
  return String(headers[tagHeader] ?? '')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '');
}

/** What a visitor gets of a response's headers: tags are for edges only. */
export function visitorHeaders(headers: IncomingHttpHeaders): Headers {
  const { [tagHeader]: _, ...others } = endToEnd(headers);
  return others;
}

function directive(cacheControl: string, name: string): number | undefined {
  const value = new RegExp(`(?:^|[,\\s])${name}=(\\d+)`).exec(cacheControl)?.[1];
  return value === undefined ? undefined : Number(value);
}

import type { Outcome } from '../../../../shared/rule/outcome.ts';
import type { EdgeResponse } from './edge-client.ts';
import type { ConfigCase } from './generated-config.ts';

/** What can be seen of one request, at the visitor's end and at the origin's. */
export interface Seen {
  readonly status: number;
  readonly location: string | undefined;
  /** What the origin was asked for; undefined where it was not. */
  readonly asked: string | undefined;
  /** Headers that the rules speak of, as the origin got them. */
  readonly requestHeaders: Readonly<Record<string, string | undefined>>;
  readonly responseHeaders: Readonly<Record<string, string | undefined>>;
  readonly cacheControl: string | undefined;
  /** Whether the same request, sent again, is served from the edge. */
  readonly isKept: boolean;
  /** Which scheme the origin was told. */
  readonly forwardedProto: string | undefined;
  /** How often the origin was asked for both. */
  readonly requests: number;
}

/** What the words of `rules/test` mean for one request to a site that nobody has asked before. */
export function expectedReply(
  { method, target, headers, wish }: ConfigCase,
  treatment: Outcome,
  hostname: string,
  scheme: 'http' | 'https',
): Seen {
  const responseHeaders = changed({ 'x-a': originHeader(wish, 'x-a') }, treatment.responseHeaders);
  const own = {
    asked: undefined,
    requestHeaders: {},
    cacheControl: undefined,
    isKept: false,
    forwardedProto: undefined,
    requests: 0,
    location: undefined,
  };
  const ownHeaders = changed({}, treatment.responseHeaders);
  if (treatment.block) return { ...own, status: 403, responseHeaders: ownHeaders };
  if (treatment.redirect) return { ...own, ...treatment.redirect, responseHeaders: ownHeaders };
  if (treatment.forceHttps)
    return { ...own, status: 308, location: `https://${hostname}${target}`, responseHeaders: ownHeaders };
  const [path = ''] = target.split('?', 1);
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const kept = isKept(method, sent, wish, treatment);
  return {
    status: 200,
    location: undefined,
    asked: (treatment.path ?? path) + target.slice(path.length),
    requestHeaders: changed(sent, treatment.requestHeaders),
    responseHeaders,
    cacheControl: cacheControl(wish, treatment),
    isKept: kept,
    forwardedProto: scheme,
    requests: kept ? 1 : 2,
  };
}

/** Whether a visitor's own headers, or the origin's, keep a response from being stored. */
function isKept(
  method: ConfigCase['method'],
  sent: Readonly<Record<string, string>>,
  wish: ConfigCase['wish'],
  { bypass, cacheTtlSeconds, cacheTtlOverridesOrigin, requestHeaders }: Outcome,
): boolean {
  const isCookieRuled = Object.keys(requestHeaders).some((name) => name.toLowerCase() === 'cookie');
  if (method === 'POST' || bypass || (sent.cookie !== undefined && !isCookieRuled)) return false;
  const said = originHeader(wish, 'cache-control') ?? '';
  if (said.includes('private') || originHeader(wish, 'set-cookie') !== undefined) return false;
  if (cacheTtlOverridesOrigin || said === '') return (cacheTtlSeconds ?? 0) > 0;
  return said.includes('max-age=60');
}

function cacheControl(wish: ConfigCase['wish'], { browserTtlSeconds }: Outcome): string | undefined {
  const said = originHeader(wish, 'cache-control');
  if (browserTtlSeconds === null) return said;
  return `${said?.includes('private') ? 'private, ' : ''}max-age=${browserTtlSeconds}`;
}

function originHeader({ headers }: ConfigCase['wish'], name: string): string | undefined {
  const value = headers?.[name];
  return value === undefined ? undefined : String(value);
}

function changed(
  headers: Readonly<Record<string, string | undefined>>,
  changes: Outcome['requestHeaders'],
): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(changes).map(([name, value]) => [name.toLowerCase(), value ?? undefined]);
  return { ...headers, ...Object.fromEntries(entries) };
}

/** The headers of a message that are spoken of. */
export function picked(
  headers: EdgeResponse['headers'],
  named: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.keys(named).map((name) => [name, headers[name] === undefined ? undefined : String(headers[name])]),
  );
}

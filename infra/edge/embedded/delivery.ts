import { Cache, type CachedObject } from './cache.ts';
import { isCacheableRequest, tagsOf, ttlSeconds, varyOf } from './cacheability.ts';
import type { Headers } from './headers.ts';
import { identityOf } from './object-identity.ts';
import { originHeaders, originPath, sharedHeaders } from './origin-request.ts';
import type { Origins } from './origins.ts';
import type { Reply } from './reply.ts';
import type { Visit } from './visit.ts';
import { visitorHeaders } from './visitor-reply.ts';

/** Brings a site's content to its visitors: from the cache, or from the origin. */
export class Delivery {
  readonly cache = new Cache();
  private readonly origins: Origins;
  private readonly revalidated = new Set<CachedObject>();

  constructor(origins: Origins) {
    this.origins = origins;
  }

  async replyTo(visit: Visit): Promise<Reply> {
    const { request, treatment } = visit;
    return isCacheableRequest(request.method ?? '', request.headers, treatment)
      ? this.lookUp(visit)
      : this.pass(visit);
  }

  private async lookUp(visit: Visit): Promise<Reply> {
    const headers = sharedHeaders(visit);
    const { staleWhileRevalidateSeconds } = visit.document.cache;
    const found = this.find(visit, headers);
    const now = Date.now();
    if (!found || !isServed(found, staleWhileRevalidateSeconds, now))
      return this.fetchOrStale(visit, headers);
    if (found.expiresAt <= now) this.revalidate(found, visit, headers);
    return replyOf(found, 'hit');
  }

  private find(visit: Visit, headers: Headers): CachedObject | undefined {
    return this.cache.find(identityOf(visit).url, headers);
  }

  /** Once at a time; where it fails the stale content stays. */
  private revalidate(object: CachedObject, visit: Visit, headers: Headers): void {
    if (this.revalidated.has(object)) return;
    this.revalidated.add(object);
    this.fetch(visit, headers)
      .catch(() => undefined)
      .finally(() => this.revalidated.delete(object));
  }

  /** Stale content goes before an error, as long as the site allows it; what was purged meanwhile is gone. */
  private async fetchOrStale(visit: Visit, headers: Headers): Promise<Reply> {
    const fetched = await this.fetch(visit, headers).catch((error: unknown) => ({ error }));
    if (!('error' in fetched) && fetched.statusCode < 500) return replyOf(fetched, 'miss');
    const stale = this.find(visit, headers);
    if (stale && isServed(stale, visit.document.cache.staleIfErrorSeconds, Date.now()))
      return replyOf(stale, 'hit');
    if ('error' in fetched) throw fetched.error;
    return replyOf(fetched, 'miss');
  }

  /** Fetches and, where the response allows it, keeps it. */
  private async fetch(visit: Visit, requestHeaders: Headers): Promise<CachedObject> {
    const ticket = this.cache.begin();
    try {
      const { statusCode, headers, body } = await this.origins.ask(visit.document.origin.url, {
        method: 'GET',
        path: originPath(visit),
        headers: requestHeaders,
      });
      const identity = identityOf(visit);
      const now = Date.now();
      const ttl = ttlSeconds(statusCode, headers, visit.treatment);
      const object: CachedObject = {
        url: identity.url,
        keys: identity.keysWith(tagsOf(headers)),
        statusCode,
        headers: visitorHeaders(headers),
        body: Buffer.from(await body.arrayBuffer()),
        vary: varyOf(headers, requestHeaders),
        storedAt: now,
        expiresAt: now + ttl * 1000,
        servedUntil: 0,
      };
      if (ttl > 0) this.cache.store(object, ticket);
      return object;
    } finally {
      this.cache.end();
    }
  }

  private async pass(visit: Visit): Promise<Reply> {
    const { request } = visit;
    const { statusCode, headers, body } = await this.origins.ask(visit.document.origin.url, {
      method: request.method as 'POST',
      path: originPath(visit),
      headers: originHeaders(visit),
      body: request.method === 'GET' || request.method === 'HEAD' ? null : request,
    });
    return {
      statusCode,
      headers: { ...visitorHeaders(headers), 'x-cache': 'MISS' },
      body: Buffer.from(await body.arrayBuffer()),
      handling: 'pass',
    };
  }
}

/** @param staleSeconds how long after its time an object may be served */
function isServed({ expiresAt, servedUntil }: CachedObject, staleSeconds: number, now: number): boolean {
  return Math.max(expiresAt + staleSeconds * 1000, servedUntil) > now;
}

function replyOf({ statusCode, headers, body, storedAt }: CachedObject, handling: 'hit' | 'miss'): Reply {
  const age = String(Math.floor((Date.now() - storedAt) / 1000));
  const cache = handling.toUpperCase();
  return { statusCode, headers: { ...headers, 'x-cache': cache, age }, body, handling };
}

import type { Headers } from './headers.ts';

/** A response as it is kept; `vary` holds the request headers that it depends on, with their values. */
export interface CachedObject {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
  readonly vary: Readonly<Record<string, string>>;
  readonly url: string;
  readonly keys: readonly string[];
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
  expiresAt: number;
  /** Since a soft purge: until when the old content goes before a fetch. */
  servedUntil: number;
}

const maximumBytes = 64 * 1024 * 1024;
const softPurgeMilliseconds = 10_000;

/**
 * Objects by URL and by purge key. A fetch that began before a purge of one of its keys must not bring the old
 * content back: `begin` gives the fetch its place in the order of purges, and `store` compares.
 */
export class Cache {
  private readonly byUrl = new Map<string, Set<CachedObject>>();
  private readonly byKey = new Map<string, Set<CachedObject>>();
  private readonly oldestFirst = new Set<CachedObject>();
  private readonly purgedAt = new Map<string, number>();
  private sequence = 0;
  private fetching = 0;
  private bytes = 0;

  /** The object for a request, be it fresh or stale. */
  find(url: string, headers: Headers): CachedObject | undefined {
    return [...(this.byUrl.get(url) ?? [])].find((candidate) => matches(candidate, headers));
  }

  /** @returns the ticket that `store` and `end` need */
  begin(): number {
    this.fetching += 1;
    return this.sequence;
  }

  end(): void {
    this.fetching -= 1;
    if (this.fetching === 0) this.purgedAt.clear();
  }

  /** Keeps an object, unless one of its keys was purged since its fetch began. */
  store(object: CachedObject, ticket: number): void {
    if (object.keys.some((key) => (this.purgedAt.get(key) ?? 0) > ticket)) return;
    for (const old of [...(this.byUrl.get(object.url) ?? [])]) {
      if (JSON.stringify(old.vary) === JSON.stringify(object.vary)) this.remove(old);
    }
    this.link(this.byUrl, object.url, object);
    for (const key of object.keys) this.link(this.byKey, key, object);
    this.oldestFirst.add(object);
    this.bytes += bytesOf(object);
    for (const oldest of this.oldestFirst) {
      if (this.bytes <= maximumBytes) break;
      this.remove(oldest);
    }
  }

  /** @returns how many objects went, or became stale */
  purge(keys: readonly string[], soft: boolean, now: number): number {
    this.sequence += 1;
    const objects = new Set<CachedObject>();
    for (const key of keys) {
      if (this.fetching > 0) this.purgedAt.set(key, this.sequence);
      for (const object of this.byKey.get(key) ?? []) objects.add(object);
    }
    for (const object of objects) {
      if (soft) makeStale(object, now);
      else this.remove(object);
    }
    return objects.size;
  }

  private link(index: Map<string, Set<CachedObject>>, key: string, object: CachedObject): void {
    const objects = index.get(key) ?? new Set();
    objects.add(object);
    index.set(key, objects);
  }

  private unlink(index: Map<string, Set<CachedObject>>, key: string, object: CachedObject): void {
    const objects = index.get(key);
    objects?.delete(object);
    if (objects?.size === 0) index.delete(key);
  }

  private remove(object: CachedObject): void {
    if (!this.oldestFirst.delete(object)) return;
    this.unlink(this.byUrl, object.url, object);
    for (const key of object.keys) this.unlink(this.byKey, key, object);
    this.bytes -= bytesOf(object);
  }
}

/** With what is kept beside the body, which a redirect or an error may not have. */
function bytesOf({ body, url, headers, keys }: CachedObject): number {
  return body.length + url.length + JSON.stringify(headers).length + keys.join().length;
}

function makeStale(object: CachedObject, now: number): void {
  if (object.expiresAt <= now) return;
  object.expiresAt = now;
  object.servedUntil = now + softPurgeMilliseconds;
}

function matches({ vary }: CachedObject, headers: Headers): boolean {
  return Object.entries(vary).every(([name, value]) => String(headers[name] ?? '') === value);
}

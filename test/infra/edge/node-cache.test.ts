import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ttlSeconds } from '../../../infra/edge/embedded/cacheability.ts';
import { freePort } from '../../../infra/local/host/listen.ts';
import { hostKey, objectKeys, reducedKey, urlKey } from '../../../shared/edge/cache-keys.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import { eventually } from '../../support/eventually.ts';
import { type Internal, type PartsResponse, purge, visit } from './support/parts-visitor.ts';
import { type Content, TestOrigin, type Wish } from './support/test-origin.ts';
import { isLeftOut, type RunningParts, startParts } from './support/varnish-and-haproxy.ts';

/** So that no test waits for them to pass. */
const windows = {
  softPurge: ['obj.ttl + 10s', 'obj.ttl + 400ms'],
  kept: ['beresp.grace = 10s', 'beresp.grace = 400ms'],
  failure: ['1, 5s', '1, 400ms'],
} as const;

function shortened(text: string): string {
  return Object.values(windows).reduce((changed, [before, after]) => {
    expect(changed).toContain(before);
    return changed.replaceAll(before, after);
  }, text);
}

describe.skipIf(isLeftOut)('Varnish behind nginx', () => {
  const origin = new TestOrigin();
  let parts: RunningParts;
  let originUrl = '';
  let nowhere = '';
  let number = 0;

  beforeAll(async () => {
    originUrl = await origin.start();
    nowhere = `http://127.0.0.1:${await freePort()}`;
    parts = await startParts({ edit: shortened });
  });
  afterAll(async () => {
    await parts.stop();
    await origin.stop();
  });

  /** A page that no test had before. */
  const fresh = (page: Partial<Internal> = {}): Internal => {
    number += 1;
    return { target: `/${number}`, origin: originUrl, cdn: { ttl: 120 }, ...page };
  };
  const ask = (page: Internal) => visit(parts.varnish, page);
  const away = (page: Internal) => ask({ ...page, origin: nowhere });
  const handlings = async (...pages: readonly Internal[]): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (const page of pages) seen.push((await ask(page)).handling);
    return seen;
  };
  const isStored = async (page: Internal) => (await handlings(page, page))[1] === 'hit';
  const cdn = (settings: NonNullable<Internal['cdn']>): Partial<Internal> => ({ cdn: settings });
  const isPast = (page: Internal) =>
    eventually(
      () => ask({ ...page, cdn: { ...page.cdn, swr: 0, sie: 0 }, wish: { isHeld: false } }),
      ({ handling }) => handling !== 'hit',
    );

  interface Response {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly ttl: number | null;
    readonly overrides: boolean;
  }

  /** The time that a response has spent in other caches shortens what the origin says, and nothing else. */
  const isStoredAsEmbedded = async ({ status, headers, ttl, overrides }: Response): Promise<void> => {
    const outcome = { cacheTtlSeconds: ttl, cacheTtlOverridesOrigin: overrides } as Outcome;
    const settings = { ...(ttl === null ? {} : { ttl }), ...(overrides ? { 'ttl-overrides': 1 } : {}) };
    const storedAt = (age: number) =>
      isStored(fresh({ cdn: settings, wish: { status, headers: { ...headers, age: String(age) } } }));
    const seconds = ttlSeconds(status, headers, outcome);
    const isSaid = !overrides && seconds !== ttl && seconds < 1e9;
    const isLate = seconds > 0 && isSaid && (await storedAt(seconds));
    const seen = [await storedAt(isSaid ? Math.max(0, seconds - 20) : 0), isLate];
    expect({ status, headers, outcome, seen }).toEqual({
      status,
      headers,
      outcome,
      seen: [seconds > 0, false],
    });
  };

  const saying = (control: string, expiry: number | string | undefined): Record<string, string> => {
    const now = Date.now();
    const date = (seconds: number) => new Date(now + seconds * 1000).toUTCString();
    return {
      date: date(0),
      ...(control === '' ? {} : { 'cache-control': control }),
      ...(expiry === undefined ? {} : { expires: typeof expiry === 'number' ? date(expiry) : expiry }),
    };
  };

  describe('What is stored', () => {
    test('is stored for exactly as long as the embedded edge stores it', async () => {
      const statuses = [200, 203, 204, 206, 300, 301, 302, 307, 308, 400, 403, 404, 410, 414, 500, 503];
      const cacheControls = [
        ...['', 'public', 'no-cache', 'No-Store', 'private', 'max-age=0', 'max-age=70', 'max-age=x'],
        ...['s-maxage=50, max-age=0', 'max-age=30,s-maxage=0', 'foo-max-age=9', 'MAX-AGE=007, public'],
        ...['max-age=99999999999999', 'no-cache="set-cookie", max-age=60'],
      ];
      const expiries = [undefined, '0', 'never', 90, -90];
      const settings: readonly (readonly [ttl: number | null, overrides: boolean])[] = [
        [null, false],
        [40, false],
        [40, true],
        [0, true],
      ];
      const others: readonly Record<string, string>[] = [
        { 'set-cookie': 'a=b' },
        { vary: '*' },
        { vary: 'x-a, *' },
        { vary: 'x-a' },
      ];
      const responses = settings.flatMap(([ttl, overrides]) =>
        [
          ...statuses.flatMap((status) => [
            { status, headers: {} },
            { status, headers: saying('max-age=60', undefined) },
          ]),
          ...others.map((headers) => ({ status: 200, headers })),
          ...cacheControls.flatMap((control) =>
            expiries.map((expiry) => ({ status: 200, headers: saying(control, expiry) })),
          ),
        ].map((response) => ({ ...response, ttl, overrides })),
      );
      await inParallel(responses, 32, isStoredAsEmbedded);
    });

    test('is asked for again when its time is over', async () => {
      const page = fresh(cdn({ ttl: 0.2 }));
      expect(await isStored(page)).toBe(true);
      await isPast(page);
    });

    test('is not what is passed, and a passed request asks the origin each time', async () => {
      const page = fresh(cdn({ ttl: 60, pass: 1 }));
      expect(await handlings(page, page, { ...page, cdn: { ttl: 60 } })).toEqual(['pass', 'pass', 'miss']);
    });

    test.each(['site', 'host', 'target', 'reduced', 'variant'])('differs where %s differs', async (name) => {
      const page = fresh();
      const other = { site: 'other', host: 'other.parts.example', target: '/other' }[name];
      await ask(page);
      const changed = other
        ? { ...page, asked: '/', [name]: other }
        : { ...page, cdn: { ttl: 120, [name]: '1' } };
      expect(await handlings(changed, page)).toEqual(['miss', 'hit']);
    });

    test('with a Vary on what rules set, under their own name or another, is a hit for the next visitor', async () => {
      const vary = 'x-ruled, x-real-ip, cache-control, accept-encoding, content-type, host';
      const wish: Wish = { headers: { vary } };
      const set = {
        'set-x-real-ip': '203.0.113.1',
        'set-cache-control': 'a',
        'set-accept-encoding': 'br',
        'set-content-type': 'b',
      };
      const page = fresh({
        wish,
        headers: { 'x-ruled': '1' },
        hostHeader: 'inner.example',
        cdn: { ttl: 60, ...set },
      });
      expect(await isStored(page)).toBe(true);
      expect(origin.lastHeaders).toMatchObject({
        host: 'inner.example',
        'x-ruled': '1',
        'x-real-ip': '203.0.113.1',
        'cache-control': 'a',
        'accept-encoding': 'br',
        'content-type': 'b',
      });
      expect(await handlings({ ...page, headers: { 'x-ruled': '2' } })).toEqual(['miss']);
    });

    test('what belongs to one visitor’s request alone reaches the origin of none that is stored', async () => {
      const headers = { 'proxy-authorization': 'a', 'if-range': 'b', 'if-newer': 'c', 'content-type': 'd' };
      const page = fresh({ headers, ...cdn({ ttl: 60 }) });
      expect(await isStored(page)).toBe(true);
      expect(Object.keys(origin.lastHeaders).filter((name) => name in headers)).toEqual([]);
    });

    test('internal headers reach neither the origin nor come from it', async () => {
      const names = [
        'x-cdn-handling',
        'X_Cdn_Handling',
        'x-cdn-guard',
        'x-cdn-guard-time',
        'x-cdn-lifetime',
        'X-Origin-Away',
        'xkey',
      ];
      const wish = { headers: Object.fromEntries(names.map((name) => [name, 'forged'])) };
      for (const settings of [cdn({ ttl: 60 }), cdn({ pass: 1 })]) {
        const { status, headers } = await ask(fresh({ wish, ...settings }));
        expect([status, JSON.stringify(headers).includes('forged')]).toEqual([200, false]);
        expect(Object.keys(origin.lastHeaders).filter((name) => /^x-(cdn|origin)-/.test(name))).toEqual([]);
        expect(origin.lastHeaders['x-forwarded-for']).toBe('203.0.113.9');
      }
    });
  });

  describe('Purges', () => {
    const host = 'purges.parts.example';
    const target = '/a/b?x=1';

    test.each([undefined, '1'])(
      'find the object by each of its keys, and by no other; reduced: %s',
      async (reduced) => {
        const path = '/a/b';
        const own = [
          ...objectKeys(host, target, ['one', 'two']),
          ...(reduced ? [reducedKey(host, path)] : []),
        ];
        const others = [
          ...objectKeys('elsewhere.parts.example', target, ['one']),
          urlKey(host, path),
          ...(reduced ? [] : [reducedKey(host, path)]),
        ];
        const settings = { ttl: 60, ...(reduced ? { reduced } : {}) };
        const page = fresh({
          host,
          target,
          cdn: settings,
          wish: { headers: { 'surrogate-key': 'one, two' } },
        });
        for (const key of own) {
          await ask(page);
          expect([
            key,
            await purge(parts.varnish, 'hard', others),
            await purge(parts.varnish, 'hard', [key]),
          ]).toEqual([key, 0, 1]);
          expect((await ask(page)).headers).not.toHaveProperty('surrogate-key');
        }
        await purge(parts.varnish, 'hard', [hostKey(host)]);
      },
    );

    test('are refused where form or signature is not right; a poll is none of them', async () => {
      expect(await purge(parts.varnish, 'poll', ['h/a'])).toBe(400);
      expect(await purge(parts.varnish, 'hard', ['s/a'])).toBe(400);
      expect(await purge(parts.varnish, 'check', [])).toBe(0);
    });

    test('that come while the origin is asked keep its response from being stored', async () => {
      for (const key of [`h/${host}`, reducedKey(host, '/elsewhere')]) {
        const page = fresh({ host, wish: { isHeld: true } });
        const response = ask(page);
        await eventually(
          async () => origin.held,
          (held) => held === 1,
        );
        await purge(parts.varnish, 'hard', [key]);
        origin.release();
        await response;
        expect((await ask({ ...page, wish: {} })).handling).toBe('miss');
      }
    });
  });

  describe('Stale content', () => {
    const epochOf = ({ body }: PartsResponse): number => (JSON.parse(body) as Content).epoch;
    /** Stores a page for a moment, and renews the origin's content. */
    const expired = async (settings: NonNullable<Internal['cdn']>): Promise<Internal> => {
      const page = fresh({ cdn: { ttl: 0.1, ...settings } });
      await ask(page);
      origin.epoch += 1;
      await new Promise((resolve) => setTimeout(resolve, 150));
      return page;
    };

    test('is not served where the property allows none, not for the time of a soft purge either', async () => {
      const page = await expired({});
      expect(epochOf(await ask(page))).toBe(origin.epoch);
      expect((await away(await expired({}))).status).toBe(502);
      expect((await ask({ ...(await expired({})), wish: { status: 503 } })).status).toBe(503);
    });

    test('is served during staleWhileRevalidate while one request refreshes it', async () => {
      const page = await expired({ swr: 60 });
      const before = origin.requests;
      const held = { ...page, cdn: { ttl: 60, swr: 60 }, wish: { isHeld: true } };
      const responses = await Promise.all([1, 2, 3, 4].map(() => ask(held)));
      expect(responses.map((response) => [response.handling, epochOf(response)])).toEqual(
        Array(4).fill(['hit', origin.epoch - 1]),
      );
      await eventually(
        async () => origin.held,
        (count) => count === 1,
      );
      origin.release();
      await eventually(
        async () => epochOf(await ask(held)),
        (epoch) => epoch === origin.epoch,
      );
      expect(origin.requests - before).toBe(1);
    });

    test.each<[string, Partial<Internal>, number]>([
      ['is away', {}, 502],
      ['responds with an error', { wish: { status: 500 } }, 500],
    ])(
      'is served during staleIfError where the origin %s, and not asked again for a while',
      async (_, more, status) => {
        const page = await expired({ sie: 60 });
        const failing = { ...page, origin: more.wish ? originUrl : nowhere, ...more };
        const before = origin.requests;
        expect(await handlings(failing, failing, failing)).toEqual(['hit', 'hit', 'hit']);
        expect(origin.requests - before).toBe(more.wish ? 1 : 0);
        const again = await eventually(
          () => ask(page),
          ({ handling }) => handling === 'miss',
        );
        expect(epochOf(again)).toBe(origin.epoch);
        const short = await expired({ sie: 0.01 });
        expect((await ask({ ...short, origin: failing.origin, ...more })).status).toBe(status);
      },
    );

    test('many who wait for an origin that fails are served at once', async () => {
      const page = await expired({ sie: 60 });
      const before = origin.requests;
      const failing = { ...page, wish: { status: 503, isHeld: true } };
      const responses = Array.from({ length: 10 }, () => ask(failing));
      await eventually(
        async () => origin.held,
        (held) => held === 1,
      );
      origin.release();
      expect((await Promise.all(responses)).map(({ handling }) => handling)).toEqual(Array(10).fill('hit'));
      expect(origin.requests - before).toBe(1);
    });

    test('goes with a hard purge, even one that comes while the origin is failing', async () => {
      const page = await expired({ sie: 60, swr: 60 });
      await purge(parts.varnish, 'hard', [urlKey('www.parts.example', page.target ?? '')]);
      expect((await away(page)).status).toBe(502);
      const other = await expired({ sie: 60 });
      const response = ask({ ...other, wish: { status: 503, isHeld: true } });
      await eventually(
        async () => origin.held,
        (held) => held === 1,
      );
      await purge(parts.varnish, 'hard', [urlKey('www.parts.example', other.target ?? '')]);
      origin.release();
      await eventually(
        async () => origin.held,
        (held) => held === 1,
      );
      origin.release();
      expect((await response).status).toBe(503);
    });

    test('is served for a moment after a soft purge, and later only where the property allows it', async () => {
      const pages = [cdn({ ttl: 60 }), cdn({ ttl: 60, sie: 60 }), cdn({ ttl: 60, swr: 60 })].map(fresh);
      await Promise.all(pages.map(ask));
      expect(await purge(parts.varnish, 'soft', ['h/www.parts.example'])).toBeGreaterThanOrEqual(3);
      const served = async () => (await Promise.all(pages.map(away))).map(({ status }) => status);
      expect(await served()).toEqual([200, 200, 200]);
      const later = await eventually(served, ([status]) => status === 502);
      expect(later).toEqual([502, 200, 200]);
    });

    test('after a soft purge is refreshed by the first who asks', async () => {
      const page = fresh();
      await ask(page);
      origin.epoch += 1;
      await purge(parts.varnish, 'soft', ['h/www.parts.example']);
      expect((await ask(page)).handling).toBe('hit');
      await eventually(
        async () => epochOf(await ask(page)),
        (epoch) => epoch === origin.epoch,
      );
    });
  });
});

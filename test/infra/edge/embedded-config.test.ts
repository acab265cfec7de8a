import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { headers as names, type PurgeMode, sign } from '../../../shared/edge/purge-protocol.ts';
import type { Action } from '../../../shared/rule/action.ts';
import { evaluate } from '../../../shared/rule/evaluate.ts';
import { testedRequest } from '../../../shared/rule/test-request.ts';
import { installed } from '../../support/installed.ts';
import { volume } from '../../support/volume.ts';
import { ConfigBench, configSecret, ruleOf, useConfigBench } from './support/config-bench.ts';
import { configDocument } from './support/config-documents.ts';
import { type Ask, contentOf } from './support/edge-client.ts';
import { expectedReply, picked, type Seen } from './support/expected-reply.ts';
import { type ConfigCase, configCase } from './support/generated-config.ts';
import { addressOf, freePort } from './support/listen.ts';
import type { Wish } from './support/test-origin.ts';

const caseCount = volume(100, 2_000);

const bench = useConfigBench();

let number = 0;

/** A name that no test had before. */
function fresh(): string {
  number += 1;
  return `site-${number}`;
}

async function ask(hostname: string, target = '/', more: Partial<Ask> = {}) {
  return bench.client.ask({ hostname, target, ...more });
}

function wish(headers: NonNullable<Wish['headers']>, status = 200): Partial<Ask> {
  return { wish: { headers, status } };
}

async function isStored(hostname: string, target = '/', more: Partial<Ask> = {}): Promise<boolean> {
  await ask(hostname, target, more);
  return (await ask(hostname, target, more)).isHit;
}

/** Time passes for the edge, which runs in this process. */
function later(seconds: number): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + seconds * 1000);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('Hosts', () => {
  test('an unknown host is 404, a paused property 503 with Retry-After, a deleted one 404', async () => {
    const id = fresh();
    for (const unknown of [`${id}.example`, 'single', 'a_b.example'])
      expect((await ask(unknown)).status).toBe(404);
    const hostname = bench.site(id);
    expect((await ask(hostname)).status).toBe(200);
    bench.site(id, { status: 'paused' });
    const paused = await ask(hostname);
    expect([paused.status, paused.headers['retry-after']]).toEqual([503, '60']);
    bench.remove(id);
    expect((await ask(hostname)).status).toBe(404);
  });

  test('a change applies to all host names at once', async () => {
    const id = fresh();
    const hostnames = ['a', 'b', 'c'].map((label) => ({ hostname: `${label}.${id}.example`, claimedAt: 1 }));
    bench.site(id, { hostnames });
    const waiting = hostnames.map(({ hostname }) => ask(hostname, '/', { wish: { isHeld: true } }));
    await vi.waitUntil(() => bench.origin.held === hostnames.length);
    bench.site(id, { hostnames, status: 'paused' });
    const statuses = await Promise.all(hostnames.map(async ({ hostname }) => (await ask(hostname)).status));
    bench.origin.release();
    expect([statuses, (await Promise.all(waiting)).map(({ status }) => status)]).toEqual([
      [503, 503, 503],
      [200, 200, 200],
    ]);
  });

  test.each([true, false])(
    'of two claims the later one holds, whichever came last: %s',
    async (isLastLater) => {
      const hostname = `${fresh()}.example`;
      const claims = isLastLater ? [1, 2] : [2, 1];
      for (const claimedAt of claims) {
        const rules = [ruleOf({ type: 'setResponseHeader', name: 'X-Claim', value: String(claimedAt) })];
        bench.site(fresh(), { hostnames: [{ hostname, claimedAt }], rules });
      }
      expect((await ask(hostname)).headers['x-claim']).toBe('2');
    },
  );

  test('a host name that changes hands shows nothing of the old tenant, not what was in flight either', async () => {
    const hostname = `${fresh()}.example`;
    const [old, next] = [fresh(), fresh()];
    const stale = { staleIfErrorSeconds: 1000, staleWhileRevalidateSeconds: 1000 };
    bench.site(old, { hostnames: [{ hostname, claimedAt: 1 }], cache: stale });
    expect(await isStored(hostname)).toBe(true);
    const inFlight = ask(hostname, '/slow', { wish: { isHeld: true } });
    await vi.waitUntil(() => bench.origin.held === 1);
    bench.origin.epoch += 1;
    bench.site(next, { hostnames: [{ hostname, claimedAt: 2 }], cache: stale });
    bench.remove(old);
    bench.origin.release();
    await inFlight;
    for (const target of ['/', '/slow']) {
      const response = await ask(hostname, target);
      expect([response.isHit, contentOf(response).epoch]).toEqual([false, bench.origin.epoch]);
    }
    later(3600);
    const failing = await ask(hostname, '/never', { wish: { status: 503 } });
    expect([failing.status, failing.isHit]).toEqual([503, false]);
  });
});

describe('The origin', () => {
  test('is asked with the visitor’s host and spelling, or with the host header that is set', async () => {
    const id = fresh();
    const hostname = bench.site(id);
    const spelled = '/%7euser//a%2fb/?b=2&a=%c3%a9';
    const content = contentOf(await ask(hostname, spelled));
    expect([content.hostname, content.target]).toEqual([hostname, spelled]);
    const { origin } = configDocument();
    const url = bench.sites.find(hostname)?.origin.url ?? origin.url;
    bench.site(id, { origin: { url: `${url}/base`, hostHeader: 'inner.example:81' } });
    const inner = contentOf(await ask(hostname, '/page?x'));
    expect([inner.hostname, inner.target]).toEqual(['inner.example:81', '/base/page?x']);
    expect(bench.origin.lastHeaders['x-forwarded-host']).toBe(hostname);
  });

  test('that is away is 502, with the headers that rules set', async () => {
    const rules = [ruleOf({ type: 'setResponseHeader', name: 'X-Ruled', value: 'yes' })];
    const hostname = bench.site(fresh(), { origin: { url: `http://127.0.0.1:${await freePort()}` }, rules });
    const { status, headers } = await ask(hostname);
    expect([status, headers['x-ruled']]).toEqual([502, 'yes']);
  });

  test.each(['/../a', '/a/%2e%2E/b', '/a/.', '/a\\b', '/..%2fa'])(
    '%s is 400 and asks no origin',
    async (target) => {
      const hostname = bench.site(fresh());
      const before = bench.origin.requests;
      expect([(await ask(hostname, target)).status, bench.origin.requests]).toEqual([400, before]);
    },
  );
});

const cacheTtl: Action = { type: 'cacheTtl', seconds: 60 };

describe('What is kept', () => {
  test.each<[string, number, Record<string, string>, readonly Action[], boolean]>([
    ['the property’s time, where the origin says nothing', 60, {}, [], true],
    ['nothing for a time of 0', 0, {}, [], false],
    ['the origin’s own time', 0, { 'cache-control': 'max-age=60' }, [], true],
    ['the origin’s time of 0', 60, { 'cache-control': 'max-age=0' }, [], false],
    ['the origin’s no-cache', 60, { 'cache-control': 'no-cache' }, [], false],
    ['the origin’s date in the past', 60, { expires: '0' }, [], false],
    ['the origin’s date to come', 0, { expires: 'Fri, 31 Dec 2199 00:00:00 GMT' }, [], true],
    ['a rule’s time before max-age', 60, { 'cache-control': 'max-age=0' }, [cacheTtl], true],
    ['a rule’s time before no-cache', 60, { 'cache-control': 'no-cache' }, [cacheTtl], true],
    ['a rule’s time of 0', 60, { 'cache-control': 'max-age=60' }, [{ ...cacheTtl, seconds: 0 }], false],
    ['private, whatever a rule says', 60, { 'cache-control': 'private' }, [cacheTtl], false],
    ['no-store, whatever a rule says', 60, { 'cache-control': 'no-store' }, [cacheTtl], false],
    ['Set-Cookie, whatever a rule says', 60, { 'set-cookie': 'a=b' }, [cacheTtl], false],
    ['nothing that varies by all', 60, { vary: 'Accept-Encoding, *' }, [cacheTtl], false],
    ['nothing past the cache', 60, { 'cache-control': 'max-age=60' }, [{ type: 'bypassCache' }], false],
  ])('%s', async (_, ttlSeconds, headers, actions, isKept) => {
    const rules = actions.length > 0 ? [ruleOf(...actions)] : [];
    const hostname = bench.site(fresh(), { cache: { ttlSeconds }, rules });
    expect(await isStored(hostname, '/', wish(headers))).toBe(isKept);
  });

  test('as long as it says', async () => {
    const hostname = bench.site(fresh(), { cache: { ttlSeconds: 100 } });
    await ask(hostname);
    later(99);
    expect((await ask(hostname)).isHit).toBe(true);
    later(2);
    expect((await ask(hostname)).isHit).toBe(false);
  });

  test.each<[number | null, Record<string, string>, string | undefined]>([
    [null, { 'cache-control': 'max-age=7' }, 'max-age=7'],
    [0, { 'cache-control': 'max-age=7' }, 'max-age=0'],
    [300, { 'cache-control': 'max-age=7', expires: '0' }, 'max-age=300'],
    [300, { 'cache-control': 'private, max-age=7' }, 'private, max-age=300'],
    [300, { 'cache-control': 'no-store' }, 'no-store'],
    [300, {}, 'max-age=300'],
  ])('by browsers: for the setting %s and %j it is %s', async (browserTtlSeconds, headers, cacheControl) => {
    const hostname = bench.site(fresh(), { cache: { browserTtlSeconds } });
    await ask(hostname, '/', wish(headers));
    const response = await ask(hostname, '/', wish(headers));
    expect(response.headers['cache-control']).toBe(cacheControl);
    const isSet = cacheControl !== headers['cache-control'];
    expect(['age', 'expires'].filter((name) => response.headers[name] !== undefined)).toEqual(
      isSet ? [] : ['age'],
    );
  });

  test('an error of the origin gets no time from the edge', async () => {
    const hostname = bench.site(fresh(), { cache: { browserTtlSeconds: 300 } });
    expect((await ask(hostname, '/', wish({}, 500))).headers).not.toHaveProperty('cache-control');
  });
});

describe('Stale content', () => {
  test('is served while it is fetched once, for as long as the property says', async () => {
    const hostname = bench.site(fresh(), { cache: { ttlSeconds: 10, staleWhileRevalidateSeconds: 100 } });
    const old = await bench.client.epoch({ hostname, target: '/' });
    later(109);
    bench.origin.epoch += 1;
    const before = bench.origin.requests;
    const stale = await Promise.all(
      [1, 2, 3].map(() => ask(hostname, '/', { wish: { delayMilliseconds: 20 } })),
    );
    expect(stale.map((response) => [response.isHit, contentOf(response).epoch])).toEqual(
      stale.map(() => [true, old]),
    );
    await vi.waitUntil(
      async () => (await bench.client.epoch({ hostname, target: '/' })) === bench.origin.epoch,
    );
    expect(bench.origin.requests - before).toBe(1);
    later(111);
    expect((await ask(hostname)).isHit).toBe(false);
  });

  test('without that setting it is not served', async () => {
    const hostname = bench.site(fresh(), { cache: { ttlSeconds: 10 } });
    await ask(hostname);
    later(11);
    expect((await ask(hostname)).isHit).toBe(false);
  });

  test.each<[string, Wish]>([
    ['is away', {}],
    ['fails', { status: 503 }],
  ])('is served while the origin %s, for as long as the property says', async (kind, failure) => {
    const id = fresh();
    const settings = { cache: { ttlSeconds: 10, staleIfErrorSeconds: 100 } };
    const hostname = bench.site(id, settings);
    await ask(hostname);
    const away = { origin: { url: `http://127.0.0.1:${await freePort()}` } };
    if (kind === 'is away') bench.site(id, { ...settings, ...away });
    later(109);
    expect((await ask(hostname, '/', { wish: failure })).isHit).toBe(true);
    later(2);
    const { status, isHit } = await ask(hostname, '/', { wish: failure });
    expect([status, isHit]).toEqual([failure.status ?? 502, false]);
  });

  test('is gone with a hard purge, and is there after a soft one', async () => {
    const hostname = bench.site(fresh(), { cache: { ttlSeconds: 10, staleIfErrorSeconds: 1000 } });
    const failing: Partial<Ask> = { wish: { status: 503 } };
    await ask(hostname);
    await bench.purge({ hostnames: [hostname], soft: true });
    later(50);
    expect((await ask(hostname, '/', failing)).isHit).toBe(true);
    await bench.purge({ hostnames: [hostname] });
    expect((await ask(hostname, '/', failing)).status).toBe(503);
  });

  test('is not served where a hard purge came while the origin was failing', async () => {
    const hostname = bench.site(fresh(), { cache: { ttlSeconds: 10, staleIfErrorSeconds: 1000 } });
    await ask(hostname);
    later(20);
    const failing = ask(hostname, '/', { wish: { status: 503, isHeld: true } });
    await vi.waitUntil(() => bench.origin.held === 1);
    await bench.purge({ hostnames: [hostname] });
    bench.origin.release();
    expect((await failing).status).toBe(503);
  });
});

describe('Queries', () => {
  const isShared = async (hostname: string, one: string, other: string): Promise<boolean> => {
    await ask(hostname, one);
    return (await ask(hostname, other)).isHit;
  };

  test.each<[mode: 'include' | 'ignore' | 'allow' | 'deny', string, string, boolean]>([
    ['include', '/?b=2&a=1', '/?a=1&b=2', true],
    ['include', '/?a=1', '/', false],
    ['ignore', '/?a=1', '/?z', true],
    ['allow', '/?a=1&z=1', '/?z=2&a=1', true],
    ['allow', '/?a=1', '/?a=1&z=2', true],
    ['allow', '/?a=1', '/?a=2', false],
    ['deny', '/?a=1&z=1', '/?z=1', true],
    ['deny', '/?%61=1', '/', true],
    ['deny', '/?z=1', '/?z=2', false],
    ['deny', '/?a+b=1&z', '/?z', false],
  ])('%s: %s and %s share a response: %s', async (mode, one, other, expected) => {
    const hostname = bench.site(fresh(), { cache: { queryString: { mode, names: ['a'] } } });
    expect(await isShared(hostname, one, other)).toBe(expected);
  });

  test('a rule goes before the mode, and the origin is asked for the whole query', async () => {
    const rules = [ruleOf({ type: 'ignoreQueryString', names: ['utm'] })];
    const hostname = bench.site(fresh(), { rules });
    expect(contentOf(await ask(hostname, '/?utm=1&a=1')).target).toBe('/?utm=1&a=1');
    expect((await ask(hostname, '/?a=1&utm=2')).isHit).toBe(true);
  });

  test.each(['ignore', 'allow', 'deny'] as const)(
    'mode %s: a purge by URL takes what any visitor of that URL gets',
    async (mode) => {
      const hostname = bench.site(fresh(), { cache: { queryString: { mode, names: ['a'] } } });
      for (const target of ['/x?a=1&b=2', '/x', '/x?b=2', '/x?a=1']) {
        await ask(hostname, '/x?a=1');
        await ask(hostname, '/x?b=2');
        await ask(hostname, '/y?b=2');
        await bench.purge({ type: 'url', hostnames: [hostname], values: [target] });
        expect([target, (await ask(hostname, target)).isHit]).toEqual([target, false]);
        expect((await ask(hostname, '/y?b=2')).isHit).toBe(true);
      }
    },
  );

  test('mode include: a purge by URL takes exactly that URL', async () => {
    const hostname = bench.site(fresh());
    for (const target of ['/x', '/x?a', '/x?b']) await ask(hostname, target);
    expect(await bench.purge({ type: 'url', hostnames: [hostname], values: ['/x?a'] })).toBe(1);
    expect((await ask(hostname, '/x?b')).isHit).toBe(true);
  });

  test('what was stored under one mode is not served under another', async () => {
    const id = fresh();
    const hostname = bench.site(id);
    await ask(hostname, '/x');
    bench.site(id, { cache: { queryString: { mode: 'ignore', names: [] } } });
    expect((await ask(hostname, '/x')).isHit).toBe(false);
  });

  test('an edge that has not named the new kind of key is not sent it', async () => {
    const hostname = bench.site(fresh(), { cache: { queryString: { mode: 'ignore', names: [] } } });
    await ask(hostname, '/x?a=1');
    const purge = { type: 'url', hostnames: [hostname], values: ['/x?b'] } as const;
    expect(await bench.purge(purge, 'h,u,p,t')).toBe(0);
    expect(await bench.purge(purge)).toBe(1);
  });
});

describe('Rules', () => {
  const ruled = (...actions: readonly Action[]): string =>
    bench.site(fresh(), { rules: [ruleOf(...actions)] });

  test('block is 403, and asks no origin', async () => {
    const before = bench.origin.requests;
    const hostname = ruled({ type: 'block' }, { type: 'setResponseHeader', name: 'X-Why', value: 'ruled' });
    const { status, headers } = await ask(hostname);
    expect([status, headers['x-why'], bench.origin.requests]).toEqual([403, 'ruled', before]);
  });

  test('redirect and forceHttps name where to', async () => {
    const redirect = await ask(ruled({ type: 'redirect', location: '/new?x', status: 302 }));
    expect([redirect.status, redirect.headers.location]).toEqual([302, '/new?x']);
    const hostname = ruled({ type: 'forceHttps' });
    const forced = await ask(hostname, '/a%2fb?b&a');
    expect([forced.status, forced.headers.location]).toEqual([308, `https://${hostname}/a%2fb?b&a`]);
  });

  test('a rewritten path is asked with the query, and tells responses apart', async () => {
    const id = fresh();
    const rewrite = (path: string) => ({ rules: [ruleOf({ type: 'rewritePath', path })] });
    const hostname = bench.site(id, rewrite('/one'));
    expect(contentOf(await ask(hostname, '/page?a=1')).target).toBe('/one?a=1');
    bench.site(id, rewrite('/two'));
    expect(contentOf(await ask(hostname, '/page?a=1')).target).toBe('/two?a=1');
    await bench.purge({ type: 'url', hostnames: [hostname], values: ['/page?a=1'] });
    expect((await ask(hostname, '/page?a=1')).isHit).toBe(false);
  });

  test('headers of the request are set and removed, and tell responses apart', async () => {
    const id = fresh();
    const set = (value: string): Action => ({ type: 'setRequestHeader', name: 'X-Set', value });
    const remove: Action = { type: 'removeRequestHeader', name: 'Accept-Language' };
    const hostname = bench.site(id, { rules: [ruleOf(set('1'), remove)] });
    const language = { headers: { 'accept-language': 'de', 'x-set': 'visitor' } };
    await ask(hostname, '/', language);
    expect(bench.origin.lastHeaders['x-set']).toBe('1');
    expect(bench.origin.lastHeaders).not.toHaveProperty('accept-language');
    expect((await ask(hostname)).isHit).toBe(true);
    bench.site(id, { rules: [ruleOf(set('2'), remove)] });
    expect((await ask(hostname)).isHit).toBe(false);
  });

  test('headers of the response are set and removed, whatever was stored', async () => {
    const id = fresh();
    const hostname = bench.site(id);
    const origin = wish({ server: 'origin', 'x-kept': 'yes' });
    expect((await ask(hostname, '/', origin)).headers.server).toBe('origin');
    const remove: Action = { type: 'removeResponseHeader', name: 'Server' };
    bench.site(id, { rules: [ruleOf(remove, { type: 'setResponseHeader', name: 'X-Kept', value: 'no' })] });
    const { isHit, headers } = await ask(hostname, '/', origin);
    expect([isHit, headers.server, headers['x-kept']]).toEqual([true, undefined, 'no']);
  });

  test('a cookie that a rule keeps from the origin does not keep a response from being stored', async () => {
    const hostname = ruled({ type: 'removeRequestHeader', name: 'Cookie' });
    expect(await isStored(hostname, '/', { headers: { cookie: 'a=b' } })).toBe(true);
  });
});

test(`${caseCount} generated cases: the edge does what rules/test says`, async () => {
  const seen = { blocked: 0, redirected: 0, forced: 0, rewritten: 0, kept: 0, passed: 0 };
  await fc.assert(
    fc.asyncProperty(configCase, async (given) => {
      const { rules, cache, method, target, headers } = given;
      const id = `${process.pid}-${fresh()}`;
      const hostname = bench.site(id, {
        rules,
        cache,
        hostnames: [{ hostname: `www.${id}.example`, claimedAt: 1 }],
      });
      const tested = testedRequest({ url: `http://${hostname}${target}`, method, headers }, [hostname]);
      const { treatment } = evaluate({ rules, cache }, tested);
      const expected = expectedReply(given, treatment, hostname);
      expect(await seenOf(hostname, given, expected)).toEqual(expected);
      if (treatment.block) seen.blocked += 1;
      else if (treatment.redirect) seen.redirected += 1;
      else if (treatment.forceHttps) seen.forced += 1;
      else if (treatment.path !== null) seen.rewritten += 1;
      else if (expected.isKept) seen.kept += 1;
      else seen.passed += 1;
      bench.remove(id);
    }),
    { numRuns: caseCount, seed: 20_261_122 },
  );
  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
});

/** Sends the request twice, as it goes over the wire. */
async function seenOf(hostname: string, given: ConfigCase, expected: Seen): Promise<Seen> {
  const { method, target, headers, wish } = given;
  const bytes = (text: string): string => Buffer.from(text).toString('latin1');
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
  const { origin } = bench;
  const before = origin.requests;
  const response = await ask(hostname, target, { method, headers: sent, wish });
  const isAsked = origin.requests > before;
  const received = picked(origin.lastHeaders, expected.requestHeaders);
  const text = (value = ''): string => Buffer.from(value, 'latin1').toString();
  const again = await ask(hostname, target, { method, headers: sent, wish });
  return {
    status: response.status,
    location: response.headers.location,
    asked: isAsked ? origin.lastTarget : undefined,
    requestHeaders: isAsked
      ? Object.fromEntries(Object.entries(received).map(([name, value]) => [name, value && text(value)]))
      : {},
    responseHeaders: picked(response.headers, expected.responseHeaders),
    cacheControl: response.headers['cache-control'],
    isKept: again.isHit,
  };
}

describe('An origin that must not be reached', () => {
  const inside = new ConfigBench();
  const asked: string[] = [];
  beforeAll(() =>
    inside.start({
      allowsPrivate: false,
      resolve: (hostname, _, callback) => {
        asked.push(hostname);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    }),
  );
  afterAll(() => inside.stop());

  test.each(['127.0.0.1', '[::1]', 'localhost', 'rebound.example'])(
    '%s is 502, and asked nothing',
    async (host) => {
      const { port } = new URL(inside.originUrl);
      const hostname = inside.site(fresh(), { origin: { url: `http://${host}:${port}` } });
      expect((await inside.client.ask({ hostname, target: '/' })).status).toBe(502);
      expect(inside.origin.requests).toBe(0);
      expect(asked.includes(host)).toBe(host === 'rebound.example');
    },
  );
});

describe.skipIf(!installed('openssl', 'version'))('An origin on https', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-origin-'));
  const [key = '', certificate = ''] = ['key', 'certificate'].map((name) => join(folder, name));
  const trusted = getCACertificates('default');
  let server: Server;
  let port: string;

  beforeAll(async () => {
    const flags = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ];
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', ...flags, ...names], { stdio: 'ignore' });
    const options = { key: readFileSync(key), cert: readFileSync(certificate) };
    server = createServer(options, (_, response) => response.end('secure'));
    ({ port } = new URL(await addressOf(server)));
    setDefaultCACertificates([...trusted, readFileSync(certificate, 'utf8')]);
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  test('proves the name of the origin’s URL, whatever host the visitor names', async () => {
    const proven = bench.site(fresh(), { origin: { url: `https://localhost:${port}` } });
    const other = bench.site(fresh(), {
      origin: { url: `https://127.0.0.1:${port}`, hostHeader: 'localhost' },
    });
    expect([(await ask(proven)).body, (await ask(other)).status]).toEqual(['secure', 502]);
  });
});

describe('Notifications', () => {
  const send = async (mode: PurgeMode, time: number, keys: string, signature?: string) => {
    const right = sign(configSecret, { time, mode, keys });
    const pairs = { [names.time]: String(time), [names.mode]: mode, [names.keys]: keys };
    const { statusCode, body } = await request(bench.baseUrl, {
      method: 'PURGE',
      headers: { ...pairs, [names.signature]: signature ?? right },
    });
    return [statusCode, statusCode === 200 ? await body.json() : await body.dump()];
  };
  const now = () => Math.floor(Date.now() / 1000);

  test('a signed one polls, once; a forged, a stale and a replayed one do nothing', async () => {
    const time = now();
    expect(await send('poll', time, 'one')).toEqual([200, { removed: 0 }]);
    expect(bench.polls).toBe(1);
    expect(await send('poll', time, 'one')).toEqual([200, { removed: 0 }]);
    expect(
      (await send('poll', time, 'other', sign(configSecret, { time, mode: 'poll', keys: 'one' })))[0],
    ).toBe(401);
    expect((await send('poll', time, 'guess', sign('guess', { time, mode: 'poll', keys: 'guess' })))[0]).toBe(
      401,
    );
    expect((await send('poll', time - 62, 'old'))[0]).toBe(401);
    expect(bench.polls).toBe(1);
    await send('poll', time, 'two');
    expect(bench.polls).toBe(2);
  });

  test('one removes nothing, and a check or a purge does not poll', async () => {
    const hostname = bench.site(fresh());
    await ask(hostname);
    const before = bench.polls;
    await send('poll', now(), `h/${hostname}`);
    expect((await ask(hostname)).isHit).toBe(true);
    await send('check', now(), '');
    await send('soft', now(), 'h/other.example');
    expect(bench.polls).toBe(before + 1);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../../infra/local/host/listen.ts';
import { installed } from '../../support/installed.ts';
import { describeConfiguredEdge } from './configured-edge-contract.ts';
import { useConfigBench } from './support/config-bench.ts';
import { type Ask, contentOf } from './support/edge-client.ts';
import { ConfiguredEmbedded } from './support/embedded-kit.ts';
import { addressOf } from './support/listen.ts';
import type { Wish } from './support/test-origin.ts';

const bench = describeConfiguredEdge(new ConfiguredEmbedded());

/** Time passes for the edge, which runs in this process. */
function later(seconds: number): void {
  if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + seconds * 1000);
}

afterEach(() => {
  vi.useRealTimers();
});

test('What is kept is kept as long as it says', async () => {
  const hostname = await bench.site(bench.fresh(), { cache: { ttlSeconds: 100 } });
  await bench.ask(hostname);
  later(99);
  expect((await bench.ask(hostname)).isHit).toBe(true);
  later(2);
  expect((await bench.ask(hostname)).isHit).toBe(false);
});

describe('Stale content', () => {
  test('is served while it is fetched once, for as long as the property says', async () => {
    const hostname = await bench.site(bench.fresh(), {
      cache: { ttlSeconds: 10, staleWhileRevalidateSeconds: 100 },
    });
    const old = await bench.client.epoch({ hostname, target: '/' });
    later(109);
    bench.origin.epoch += 1;
    const before = bench.origin.requests;
    const stale = await Promise.all(
      [1, 2, 3].map(() => bench.ask(hostname, '/', { wish: { delayMilliseconds: 20 } })),
    );
    expect(stale.map((response) => [response.isHit, contentOf(response).epoch])).toEqual(
      stale.map(() => [true, old]),
    );
    await vi.waitUntil(
      async () => (await bench.client.epoch({ hostname, target: '/' })) === bench.origin.epoch,
    );
    expect(bench.origin.requests - before).toBe(1);
    later(111);
    expect((await bench.ask(hostname)).isHit).toBe(false);
  });

  test('without that setting it is not served', async () => {
    const hostname = await bench.site(bench.fresh(), { cache: { ttlSeconds: 10 } });
    await bench.ask(hostname);
    later(11);
    expect((await bench.ask(hostname)).isHit).toBe(false);
  });

  test.each<[string, Wish]>([
    ['is away', {}],
    ['fails', { status: 503 }],
  ])('is served while the origin %s, for as long as the property says', async (kind, failure) => {
    const id = bench.fresh();
    const settings = { cache: { ttlSeconds: 10, staleIfErrorSeconds: 100 } };
    const hostname = await bench.site(id, settings);
    await bench.ask(hostname);
    const away = { origin: { url: `http://127.0.0.1:${await freePort()}` } };
    if (kind === 'is away') await bench.site(id, { ...settings, ...away });
    later(109);
    expect((await bench.ask(hostname, '/', { wish: failure })).isHit).toBe(true);
    later(2);
    const { status, isHit } = await bench.ask(hostname, '/', { wish: failure });
    expect([status, isHit]).toEqual([failure.status ?? 502, false]);
  });

  test('is gone with a hard purge, and is there after a soft one', async () => {
    const hostname = await bench.site(bench.fresh(), {
      cache: { ttlSeconds: 10, staleIfErrorSeconds: 1000 },
    });
    const failing: Partial<Ask> = { wish: { status: 503 } };
    await bench.ask(hostname);
    await bench.purge({ hostnames: [hostname], soft: true });
    later(50);
    expect((await bench.ask(hostname, '/', failing)).isHit).toBe(true);
    await bench.purge({ hostnames: [hostname] });
    expect((await bench.ask(hostname, '/', failing)).status).toBe(503);
  });

  test('is not served where a hard purge came while the origin was failing', async () => {
    const hostname = await bench.site(bench.fresh(), {
      cache: { ttlSeconds: 10, staleIfErrorSeconds: 1000 },
    });
    await bench.ask(hostname);
    later(20);
    const failing = bench.ask(hostname, '/', { wish: { status: 503, isHeld: true } });
    await vi.waitUntil(() => bench.origin.held === 1);
    await bench.purge({ hostnames: [hostname] });
    bench.origin.release();
    expect((await failing).status).toBe(503);
  });
});

describe('An origin that must not be reached', () => {
  const asked: string[] = [];
  const inside = useConfigBench(
    new ConfiguredEmbedded({
      allowsPrivate: false,
      resolve: (hostname, _, callback) => {
        asked.push(hostname);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    }),
  );

  test.each(['127.0.0.1', '[::1]', 'localhost', 'rebound.example'])(
    '%s is 502, and asked nothing',
    async (host) => {
      const { port } = new URL(inside.originUrl);
      const hostname = await inside.site(inside.fresh(), { origin: { url: `http://${host}:${port}` } });
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
    const proven = await bench.site(bench.fresh(), { origin: { url: `https://localhost:${port}` } });
    const other = await bench.site(bench.fresh(), {
      origin: { url: `https://127.0.0.1:${port}`, hostHeader: 'localhost' },
    });
    expect([(await bench.ask(proven)).body, (await bench.ask(other)).status]).toEqual(['secure', 502]);
  });
});

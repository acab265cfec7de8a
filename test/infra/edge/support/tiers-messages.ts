import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askFrom } from './ask-from.ts';
import type { ConfigBench } from './config-bench.ts';
import type { ConfiguredTiers } from './configured-tiers.ts';
import { sharesNoHeaders } from './contract-headers.ts';
import { type Asked, dropsBodies } from './contract-requests.ts';
import { contentOf, EdgeClient } from './edge-client.ts';
import { addressOf } from './listen.ts';

/** What passes through two tiers is what passes through one. */
export function passesMessages(bench: ConfigBench, tiers: ConfiguredTiers): void {
  describe('Requests of the edge’s visitors', () => asksAsOneEdge(bench, () => bench.baseUrl));
  describe('Requests of the shield’s visitors', () => asksAsOneEdge(bench, () => tiers.shieldUrl));
  describe('Lengths', () => takesLongOnes(bench));
  describe('Methods, ranges and bodies', () => handsOnWhatIsPassed(bench));
}

function asksAsOneEdge(bench: ConfigBench, baseUrl: () => string): void {
  let asked: Asked;
  beforeAll(async () => {
    const client = new EdgeClient(baseUrl());
    asked = { origin: bench.origin, client, baseUrl: baseUrl(), hostname: await bench.site(bench.fresh()) };
    return () => client.stop();
  });
  dropsBodies(() => asked);
  sharesNoHeaders(() => asked);
}

function takesLongOnes(bench: ConfigBench): void {
  test.each([
    ['escapes', '%c3'.repeat(2_700)],
    ['characters that are escaped on the way', '"'.repeat(8_000)],
    ['parameters', `?${'&'.repeat(8_000)}`],
  ])('a URL of 8 KB of %s is stored, and purged on both tiers', async (_, text) => {
    const hostname = await bench.site(bench.fresh());
    const target = `/${text}`;
    expect(await bench.isStored(hostname, target)).toBe(true);
    const { epoch, ...content } = contentOf(await bench.ask(hostname, target));
    expect(content.target).toBe(target.replaceAll('"', '%22'));
    bench.origin.epoch += 1;
    expect(await bench.purge({ type: 'url', hostnames: [hostname], values: [content.target] })).toBe(1);
    expect(contentOf(await bench.ask(hostname, target)).epoch).toBe(epoch + 1);
  });

  test('490 header lines, and 24 KB of them beside a long URL', async () => {
    const hostname = await bench.site(bench.fresh());
    const lines = (count: number, bytes: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, line) => [`x-line-${line}`, 'x'.repeat(bytes)]));
    for (const [count, bytes, target] of [
      [490, 10, '/'],
      [3, 8_000, `/${'"'.repeat(8_000)}`],
    ] as const) {
      const asked = { hostname, target, headers: lines(count, bytes) };
      expect((await askFrom('127.0.0.1', bench.baseUrl, asked)).status).toBe(200);
      expect(bench.origin.lastHeaders).toMatchObject(asked.headers);
    }
  });
}

function handsOnWhatIsPassed(bench: ConfigBench): void {
  const credential = { cookie: 'a=b' };

  test('a range of a stored page, and of one that is passed', async () => {
    const hostname = await bench.site(bench.fresh());
    const range = { range: 'bytes=0-9' };
    await bench.ask(hostname, '/', { headers: range });
    expect(bench.origin.lastHeaders).not.toHaveProperty('range');
    const { status, body, isHit } = await bench.ask(hostname, '/', { headers: range });
    expect([status, body.length, isHit]).toEqual([206, 10, true]);
    await bench.ask(hostname, '/', { headers: { ...range, ...credential } });
    expect(bench.origin.lastHeaders).toMatchObject({ ...range, ...credential });
  });

  test('HEAD stores the page; with a credential it is passed', async () => {
    const hostname = await bench.site(bench.fresh());
    const head = await bench.ask(hostname, '/', { method: 'HEAD' });
    expect([head.status, head.body, (await bench.ask(hostname)).isHit]).toEqual([200, '', true]);
    const passed = await bench.ask(hostname, '/', { method: 'HEAD', headers: credential });
    expect([passed.status, passed.body, passed.isHit]).toEqual([200, '', false]);
  });

  describe('POST', () => {
    const large = 'x'.repeat(3_000_000);
    const echo = createServer((asked, response) => {
      response.setHeader('x-method', asked.method ?? '');
      asked.pipe(response);
    });
    let hostname = '';
    beforeAll(async () => {
      hostname = await bench.site(bench.fresh(), { origin: { url: await addressOf(echo) } });
    });
    afterAll(() => {
      echo.closeAllConnections();
      echo.close();
    });

    test.each<[string, () => string | Readable]>([
      ['with its length', () => large],
      ['in chunks', () => Readable.from([large.slice(2_000_000), large.slice(1_000_000)])],
    ])('a large body %s passes whole, there and back', async (_, body) => {
      const {
        statusCode,
        headers,
        body: received,
      } = await request(bench.baseUrl, {
        method: 'POST',
        headers: { host: hostname },
        body: body(),
      });
      expect([statusCode, headers['x-method'], (await received.text()) === large]).toEqual([
        200,
        'POST',
        true,
      ]);
    });
  });
}

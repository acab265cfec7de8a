import { expect, test } from 'vitest';
import { askFrom } from './ask-from.ts';
import { type ConfigBench, ruleOf, wish } from './config-bench.ts';
import type { ConfiguredTiers } from './configured-tiers.ts';
import { contentOf } from './edge-client.ts';
import { type Content, wishHeader } from './test-origin.ts';

type Headers = Readonly<Record<string, string>>;

const edgeAddress = '127.0.0.1';
const strangeAddress = '127.0.0.2';

export function believesItsEdgesAlone(bench: ConfigBench, tiers: ConfiguredTiers): void {
  takesStrangersForVisitors(bench, tiers);
  believesItsEdges(bench, tiers);
  keepsOthersOut(bench);
  servesVisitors(bench, tiers);
}

/** What an edge would say, of a page that another one is then stored as. */
function said({ originUrl }: ConfigBench, propertyId: string, hostname: string): Headers {
  return {
    'x-cdn-key': `${propertyId} ${hostname} - /victim`,
    'x-cdn-fetch': `600 1 0 0 http ${new URL(originUrl).port} account 127.0.0.1 / ${hostname}`,
    'x-cdn-url': '/evil',
    'x-cdn-edge': '1',
    'x-cdn-set-x-real-ip': '203.0.113.9',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  };
}

async function contentFrom(
  address: string,
  { shieldUrl }: ConfiguredTiers,
  hostname: string,
  headers: Headers,
): Promise<Content> {
  const { body } = await askFrom(address, shieldUrl, { hostname, target: '/page', headers });
  return JSON.parse(body);
}

function internalNames(headers: object): readonly string[] {
  return Object.keys(headers).filter((name) => /^x.(?:cdn|origin)/.test(name));
}

function takesStrangersForVisitors(bench: ConfigBench, tiers: ConfiguredTiers): void {
  const spelled = (headers: Headers, hyphen: string): Headers =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.replace(/^x-cdn-/, `X${hyphen}CDN${hyphen}`),
        value,
      ]),
    );

  test.each(['-', '_', '.', '~'])(
    'what another address says as an edge would, with %s, is a visitor’s word, and stores nothing elsewhere',
    async (hyphen) => {
      const id = bench.fresh();
      const hostname = await bench.site(id);
      const forged = spelled(said(bench, id, hostname), hyphen);
      expect(await contentFrom(strangeAddress, tiers, hostname, forged)).toMatchObject({ target: '/page' });
      const { lastHeaders } = bench.origin;
      expect(lastHeaders).toMatchObject({
        'x-forwarded-for': strangeAddress,
        'x-forwarded-host': hostname,
        'x-forwarded-proto': 'http',
        'cdn-loop': id,
      });
      expect([internalNames(lastHeaders), lastHeaders['x-real-ip']]).toEqual([[], undefined]);
      expect(contentOf(await bench.ask(hostname, '/victim')).target).toBe('/victim');
    },
  );
}

function believesItsEdges(bench: ConfigBench, tiers: ConfiguredTiers): void {
  test('the same from an edge is believed', async () => {
    const id = bench.fresh();
    const hostname = await bench.site(id);
    const headers = said(bench, id, hostname);
    expect(await contentFrom(edgeAddress, tiers, hostname, headers)).toMatchObject({ target: '/evil' });
    const { lastHeaders } = bench.origin;
    expect(lastHeaders).toMatchObject({
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-real-ip': '203.0.113.9',
    });
    expect([internalNames(lastHeaders), lastHeaders['cdn-loop']]).toEqual([[], undefined]);
  });

  test('an edge’s address that does not speak as an edge is a visitor’s', async () => {
    const hostname = await bench.site(bench.fresh());
    const { 'x-cdn-key': _, ...others } = said(bench, 'any', hostname);
    expect(await contentFrom(edgeAddress, tiers, hostname, others)).toMatchObject({ target: '/page' });
    expect(bench.origin.lastHeaders).toMatchObject({
      'x-forwarded-for': edgeAddress,
      'x-forwarded-host': hostname,
    });
  });

  test.each(['x-cdn-key', 'x-cdn-fetch', 'x-cdn-url'])(
    'what an edge says without a right %s is 400',
    async (name) => {
      const id = bench.fresh();
      const hostname = await bench.site(id);
      const { [name]: _, ...others } = said(bench, id, hostname);
      const headers = { 'x-cdn-key': 'half', ...others };
      const asked = { hostname, target: '/', headers };
      expect((await askFrom(edgeAddress, tiers.shieldUrl, asked)).status).toBe(400);
    },
  );
}

function keepsOthersOut(bench: ConfigBench): void {
  test('no visitor of the edge says anything to the shield, or to the origin', async () => {
    const id = bench.fresh();
    const hostname = await bench.site(id);
    const response = await bench.ask(hostname, '/mine', { headers: said(bench, id, hostname) });
    expect(contentOf(response)).toMatchObject({ hostname, target: '/mine' });
    const { lastHeaders } = bench.origin;
    expect(lastHeaders).toMatchObject({
      'x-forwarded-for': '127.0.0.1, 127.0.0.1',
      'x-forwarded-host': hostname,
      'x-forwarded-proto': 'http',
    });
    expect([internalNames(lastHeaders), lastHeaders['x-real-ip']]).toEqual([[], undefined]);
  });

  test('no origin says anything to a tier', async () => {
    const hostname = await bench.site(bench.fresh(), { cache: { ttlSeconds: 0 } });
    const lifetimes = { 'x-cdn-lifetime': '600', x_cdn_lifetime: '600' };
    const headers = { ...lifetimes, 'x-cdn-shield': '1', 'x-origin-away': '1' };
    for (const _ of [1, 2]) {
      const response = await bench.ask(hostname, '/', wish(headers));
      expect([response.status, response.isHit, internalNames(response.headers)]).toEqual([200, false, []]);
    }
  });
}

function servesVisitors(bench: ConfigBench, tiers: ConfiguredTiers): void {
  test('who visits the shield gets what rules say, and what edges have brought there', async () => {
    const rule = ruleOf(
      { type: 'setResponseHeader', name: 'X-Ruled', value: 'yes' },
      { type: 'setRequestHeader', name: 'X-Real-IP', value: '203.0.113.1' },
    );
    const hostname = await bench.site(bench.fresh(), { rules: [rule], cache: { browserTtlSeconds: 7 } });
    const headers = { [wishHeader]: JSON.stringify({ headers: { 'surrogate-key': 'tag' } }) };
    const visit = () => askFrom(strangeAddress, tiers.shieldUrl, { hostname, target: '/', headers });
    const { headers: seen } = await visit();
    expect(seen).toMatchObject({ 'x-ruled': 'yes', 'cache-control': 'max-age=7', 'x-cache': 'MISS' });
    expect([internalNames(seen), seen['surrogate-key']]).toEqual([[], undefined]);
    expect(bench.origin.lastHeaders['x-real-ip']).toBe('203.0.113.1');
    const before = bench.origin.requests;
    expect((await bench.ask(hostname)).headers['x-ruled']).toBe('yes');
    expect(bench.origin.requests).toBe(before);
    await bench.purge({ type: 'tag', hostnames: [hostname], values: ['tag'] });
    expect((await visit()).headers['x-cache']).toBe('MISS');
  });
}

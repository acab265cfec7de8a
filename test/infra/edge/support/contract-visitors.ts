import { expect, test } from 'vitest';
import type { Bench } from './bench.ts';
import { contentOf } from './edge-client.ts';
import { rawRequest } from './raw-request.ts';
import { type Wish, wishHeader } from './test-origin.ts';

const hostname = 'www.visitors.example';

/** What one visitor sends is no other's matter, and what edges tell each other no visitor's. */
export function keepsVisitorsApart(bench: () => Bench): void {
  test('what a header says in its second line is in no response for others', async () => {
    const wish: Wish = { headers: { vary: 'Accept-Language, X-Variant' } };
    const lines = ['X-Variant: a', 'x-variant: b', `${wishHeader}: ${JSON.stringify(wish)}`];
    const { baseUrl } = bench().running;
    await rawRequest(baseUrl, ['GET /second-line HTTP/1.1', `Host: ${hostname}`, ...lines]);
    const page = { hostname, target: '/second-line', headers: { 'x-variant': 'a' }, wish };
    expect([await bench().client.isHit(page), await bench().client.isHit(page)]).toEqual([false, true]);
  });

  test.each(['bytes=0-0,2-3', 'bytes=5-1', 'pages=1-2'])(
    'a passed request for %s gets what the origin has',
    async (range) => {
      const ask = { hostname, target: '/ranges', headers: { cookie: 'a=b', range } };
      expect(contentOf(await bench().client.ask(ask))).toMatchObject({ hostname, target: '/ranges' });
    },
  );

  test('no visitor sees the tags, of a stored response or a passed one', async () => {
    const page = { hostname, target: '/tags', wish: { headers: { 'surrogate-key': 'a b' } } };
    for (const ask of [page, page, { ...page, headers: { cookie: 'a=b' } }])
      expect((await bench().client.ask(ask)).headers).not.toHaveProperty('surrogate-key');
  });
}

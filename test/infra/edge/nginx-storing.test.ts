import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { drivers } from '../../../shared/edge/drivers.ts';
import { eventually } from '../../support/eventually.ts';
import { beginFetch, useBench } from './support/bench.ts';
import { type Ask, contentOf, EdgeClient } from './support/edge-client.ts';
import { describeNginx, nginxKit, startNginx } from './support/nginx-kit.ts';
import type { Wish } from './support/test-origin.ts';

const hostname = 'storing.example';

describeNginx('What nginx stores', () => {
  const bench = useBench(nginxKit);
  let number = 0;
  const newPage = (wish: Wish = {}): Ask => {
    number += 1;
    return { hostname, target: `/${number}`, wish };
  };
  const isStored = async (ask: Ask): Promise<boolean> => {
    await bench().client.ask(ask);
    return bench().client.isHit(ask);
  };

  const byVary: readonly (readonly [string | string[], boolean])[] = [
    ['Accept-Encoding', true],
    ['accept-encoding, ACCEPT-ENCODING', true],
    [['Accept-Encoding', 'Cookie'], false],
    [['Cookie', 'Accept-Encoding'], false],
    ['Accept-Encoding, Origin', false],
    ['X-Accept-Encoding', false],
    ['', true],
  ];
  test.each(byVary)('with Vary %j: %j', async (vary, expected) => {
    expect(await isStored(newPage({ headers: { vary } }))).toBe(expected);
  });

  test.each([
    [404, true],
    [410, true],
    [301, true],
    [206, false],
    [400, false],
    [500, false],
    [503, false],
  ])('a %i that may live for a minute: %j', async (status, expected) => {
    expect(await isStored(newPage({ status, headers: { 'cache-control': 'max-age=60' } }))).toBe(expected);
  });

  test.each([[['max-age=60', 'private']], [['no-store', 'max-age=60']]])(
    'not what one of several Cache-Control lines forbids: %j',
    async (lines) => {
      expect(await isStored(newPage({ headers: { 'cache-control': lines } }))).toBe(false);
    },
  );

  test('one variant, whatever encodings browsers take', async () => {
    const ask = newPage({ headers: { vary: 'Accept-Encoding' } });
    for (const encodings of ['gzip, br', 'identity', 'zstd']) {
      await bench().client.ask({ ...ask, headers: { 'accept-encoding': encodings } });
      expect(bench().origin.lastHeaders).not.toHaveProperty('accept-encoding');
    }
    expect(await bench().client.isHit(ask)).toBe(true);
    const purge = { type: 'url', soft: false, hostnames: [hostname], values: [ask.target] } as const;
    expect(await bench().purge(purge)).toEqual({ removed: 1 });
  });

  test('only the whole page, where a browser asked for a part, for its head or by a condition', async () => {
    const asks: readonly Partial<Ask>[] = [
      { headers: { range: 'bytes=0-4' } },
      { method: 'HEAD' },
      { headers: { 'if-none-match': '"a"' } },
    ];
    for (const first of asks) {
      const ask = newPage({ isNotModified: true, headers: { etag: '"a"', 'accept-ranges': 'bytes' } });
      await bench().client.ask({ ...ask, ...first });
      // nginx answers these before it has the page's end.
      const answer = await eventually(
        () => bench().client.ask(ask),
        ({ isHit }) => isHit,
      );
      expect(contentOf(answer).target).toBe(ask.target);
    }
    expect(bench().origin.notModified).toBe(0);
  });

  test('nothing that was fetched by another method', async () => {
    const ask = newPage();
    await bench().client.ask({ ...ask, method: 'POST' });
    expect(await bench().client.isHit(ask)).toBe(false);
  });

  test('nothing that a fetch brings which began before a purge, however long its answer takes', async () => {
    const ask = newPage({ delayMilliseconds: 3_000 });
    const { answer } = await beginFetch(bench(), ask);
    bench().origin.epoch += 1;
    await bench().complete({ type: 'url', soft: false, hostnames: [hostname], values: [ask.target] });
    expect(contentOf(await answer).epoch).toBe(bench().origin.epoch - 1);
    await sleep(50);
    expect(await bench().client.epoch({ ...ask, wish: {} })).toBe(bench().origin.epoch);
  });
});

describeNginx('An nginx edge behind an nginx shield', () => {
  const bench = useBench({
    name: 'Two tiers of nginx',
    async start(origin, secret) {
      const shield = await startNginx(origin, secret, { tier: 'shield' });
      const running = await startNginx(shield.baseUrl, secret);
      return {
        edge: running.edge,
        shield: shield.edge,
        baseUrl: running.baseUrl,
        stop: async () => void (await Promise.all([running.stop(), shield.stop()])),
      };
    },
  });

  test('is renewed when a purge of both is completed, and says whether it had the page itself', async () => {
    const ask = { hostname, target: '/', wish: { headers: { 'surrogate-key': 'a' } } };
    const url = { type: 'url', soft: false, hostnames: [hostname], values: ['/'] } as const;
    const shield = new EdgeClient(bench().running.shield?.url ?? '');
    await bench().client.ask(ask);
    expect((await shield.ask(ask)).headers).toMatchObject({ 'x-cache': 'HIT', 'surrogate-key': 'a' });
    expect(await drivers.nginx.purge(bench().running.edge, url)).toEqual({ removed: 1 });
    const { isHit, headers } = await bench().client.ask(ask);
    expect([isHit, headers['surrogate-key']]).toEqual([false, undefined]);
    bench().origin.epoch += 1;
    await bench().complete(url);
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
    await shield.stop();
  });
});

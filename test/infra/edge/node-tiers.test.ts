import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { backends } from '../../../shared/edge/backends.ts';
import { varnish } from '../../../shared/edge/varnish.ts';
import { eventually } from '../../support/eventually.ts';
import { refreshMilliseconds, useBench } from './support/bench.ts';
import { agreesWithTheModel } from './support/contract-generated.ts';
import { sharesNoHeaders } from './support/contract-headers.ts';
import { survivesTheRace } from './support/contract-race.ts';
import { dropsBodies } from './support/contract-requests.ts';
import { contentOf, EdgeClient } from './support/edge-client.ts';
import { describeNode, twoTiers } from './support/node-kit.ts';

const hostname = 'tiers.example';

describeNode('An edge with a shield', () => {
  const bench = useBench(twoTiers);
  const all = { type: 'all', soft: false, hostnames: [hostname], values: [] } as const;
  const purgeEdgeOnly = () => varnish.prepare(all)(bench().running.edge);
  const shieldUrl = () => bench().running.shield?.url ?? '';
  let shield: EdgeClient;
  beforeAll(() => {
    shield = new EdgeClient(shieldUrl());
    return () => shield.stop();
  });

  describe('agrees with the model', () =>
    agreesWithTheModel(bench, backends.varnish, { count: 300, refuses: twoTiers.refuses }));
  describe('wins against fetches in flight', () => survivesTheRace(bench, backends.varnish));

  test('the shield stores under the tenant, and a MISS of the edge says so whatever the shield had', async () => {
    const ask = { hostname: 'TIERS.example:80', target: '/', wish: { tags: { prefix: 'tag-', count: 500 } } };
    await bench().client.ask(ask);
    const { requests } = bench().origin;
    expect(await purgeEdgeOnly()).toEqual({ removed: 1 });
    const response = await bench().client.ask(ask);
    expect([response.isHit, bench().origin.requests, contentOf(response).hostname]).toEqual([
      false,
      requests,
      hostname,
    ]);
    expect(response.headers).not.toHaveProperty('surrogate-key');
    const tag = { type: 'tag', soft: false, hostnames: [hostname], values: ['tag-499'] } as const;
    expect(await bench().purge(tag)).toEqual({ removed: 1 });
    expect(await bench().client.isHit(ask)).toBe(false);
    expect(bench().origin.requests).toBe(requests + 1);
  });

  test('the time in the shield counts: Age goes on, and nothing lives longer than the origin said', async () => {
    const ask = { hostname, target: '/age', wish: { headers: { 'cache-control': 's-maxage=5' } } };
    await bench().client.ask(ask);
    await sleep(1_500);
    await purgeEdgeOnly();
    const { headers } = await bench().client.ask(ask);
    expect(Number(headers.age)).toBeGreaterThanOrEqual(1);
    bench().origin.epoch += 1;
    expect(await bench().client.isHit(ask)).toBe(true);
    const { requests } = bench().origin;
    await eventually(
      () => bench().client.ask(ask),
      (response) => Number(response.headers.age) >= 5,
    );
    // Whoever gets what is too old has it refreshed, without being followed by another.
    await eventually(
      async () => bench().origin.requests,
      (count) => count > requests,
    );
    await eventually(
      () => bench().client.epoch(ask),
      (epoch) => epoch === bench().origin.epoch,
    );
  });

  test('a shield serves nothing stale, which an edge would keep', async () => {
    const ask = { hostname, target: '/stale', wish: { headers: { 'cache-control': 's-maxage=1' } } };
    await shield.ask(ask);
    bench().origin.epoch += 1;
    await sleep(1_200);
    expect(await shield.epoch(ask)).toBe(bench().origin.epoch);
  });

  test('after a soft purge of both tiers the edge never keeps the shield’s stale page as fresh', async () => {
    const ask = { hostname, target: '/soft', wish: { headers: { 'cache-control': 's-maxage=600' } } };
    await bench().client.ask(ask);
    bench().origin.epoch += 1;
    await bench().purge({ ...all, soft: true });
    expect(await bench().client.isHit(ask)).toBe(true);
    await eventually(
      () => bench().client.epoch(ask),
      (epoch) => epoch === bench().origin.epoch,
      refreshMilliseconds,
    );
    await purgeEdgeOnly();
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
  });

  describe('asks the origin as one edge does', () => {
    const asked = () => ({ ...bench(), baseUrl: bench().running.baseUrl, hostname: 'www.tiers.example' });
    dropsBodies(asked);
    sharesNoHeaders(asked);
  });

  describe('whose shield is asked by others', () => {
    const asked = () => ({
      ...bench(),
      client: shield,
      baseUrl: shieldUrl(),
      hostname: 'shield.tiers.example',
    });
    dropsBodies(asked);
    sharesNoHeaders(asked);
  });

  test('the shield hands on who asked the edge', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await shield.ask({ hostname, target: '/address', headers });
    expect(bench().origin.lastHeaders['x-forwarded-for']).toBe('203.0.113.9, 127.0.0.1');
  });
});

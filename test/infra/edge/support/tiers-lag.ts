import { expect, test } from 'vitest';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import { backends } from '../../../../shared/edge/backends.ts';
import { type ConfigBench, type SiteSettings, wish } from './config-bench.ts';
import type { ConfiguredTiers } from './configured-tiers.ts';
import { race, raceHostnames, slowFetches } from './contract-race.ts';
import { contentOf } from './edge-client.ts';
import { TestOrigin } from './test-origin.ts';

type Origin = NonNullable<SiteSettings['origin']>;

function removed(propertyId: string): ConfigChange {
  return { propertyId, version: 1, document: null };
}

/** What the two tiers do where one of them has not heard of what the other one serves. */
export function passesWhatItDoesNotKnow(bench: ConfigBench, tiers: ConfiguredTiers): void {
  storesNothingUnknown(bench, tiers);
  doesAsTheEdgeSays(bench, tiers);
}

function storesNothingUnknown(bench: ConfigBench, tiers: ConfiguredTiers): void {
  /** How often the origin is asked for a page that the edge has lost, twice. */
  const askedAgain = async (hostname: string): Promise<number> => {
    const before = bench.origin.requests;
    for (const _ of [1, 2]) {
      await bench.purgeEdge(hostname);
      expect(contentOf(await bench.ask(hostname, '/page')).target).toBe('/page');
    }
    return bench.origin.requests - before;
  };

  test.each<[string, (url: string) => Origin | undefined]>([
    ['nothing', () => undefined],
    ['another scheme', (url) => ({ url: url.replace('http:', 'https:') })],
    ['another host', (url) => ({ url: url.replace('127.0.0.1', '127.0.0.9') })],
    ['another port', (url) => ({ url: url.replace(/\d+$/, '9') })],
    ['another path', (url) => ({ url: `${url}/other` })],
    ['another host header', (url) => ({ url, hostHeader: 'other.example' })],
  ])(
    'of a site of which the shield knows %s the edge serves and stores, the shield passes',
    async (_, other) => {
      const propertyId = bench.fresh();
      const hostname = await bench.site(propertyId);
      const origin = other(bench.originUrl);
      await tiers.shield.apply([origin ? bench.changeOf({ propertyId, origin }) : removed(propertyId)]);
      expect(await bench.isStored(hostname, '/page')).toBe(true);
      expect(await askedAgain(hostname)).toBe(2);
      await bench.site(propertyId);
      expect(await askedAgain(hostname)).toBe(1);
    },
  );
}

function doesAsTheEdgeSays(bench: ConfigBench, tiers: ConfiguredTiers): void {
  test('purges during fetches that the shield passes leave nothing stale', async () => {
    const propertyId = bench.fresh();
    const hostnames = raceHostnames.map((hostname) => ({ hostname, claimedAt: Date.now() }));
    await tiers.edge.apply([bench.changeOf({ propertyId, hostnames })]);
    expect(await race(bench.asBench(), backends.varnish, slowFetches)).toEqual({ atOnce: 0, later: 0 });
  });

  test('nothing of an origin that a property had is stored for who asks the new one', async () => {
    const former = new TestOrigin();
    former.epoch = -1;
    const propertyId = bench.fresh();
    const hostname = await bench.site(propertyId);
    const url = await former.start();
    await tiers.edge.apply([bench.changeOf({ propertyId, origin: { url } })]);
    expect(contentOf(await bench.ask(hostname)).epoch).toBe(-1);
    await bench.site(propertyId);
    await bench.purgeEdge(hostname);
    expect(contentOf(await bench.ask(hostname)).epoch).toBe(bench.origin.epoch);
    await former.stop();
  });

  test('what an edge has paused or let go is not served for it, whatever the shield has', async () => {
    const propertyId = bench.fresh();
    const hostname = await bench.site(propertyId);
    await bench.ask(hostname, '/', wish({}));
    await tiers.edge.apply([bench.changeOf({ propertyId, status: 'paused' })]);
    expect((await bench.ask(hostname)).status).toBe(503);
    await tiers.edge.apply([removed(propertyId)]);
    expect((await bench.ask(hostname)).status).toBe(404);
  });
}

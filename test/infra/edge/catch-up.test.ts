import { afterAll, beforeAll, expect, test } from 'vitest';
import { addEdge, removeEdge, replaceEdge } from '../../../shared/edge/edge-table.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import { catchUpNow, untilCatchingUp, untilCurrent } from '../../support/catch-up.ts';
import { edgeOf, PurgeClient } from '../../support/purge-client.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';
import { type Ask, EdgeClient } from './support/edge-client.ts';
import { describeNode, type RunningNode, startNode } from './support/node-kit.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { TestOrigin } from './support/test-origin.ts';

const secret = 'a secret of sixteen characters or more';
const concurrency = volume(2, 12);
const limitMilliseconds = 300_000;

let run: TestRun;

async function createProperty(hostname: string): Promise<PurgeClient> {
  const body = { name: 'Site', hostnames: [hostname], origin: { url: 'http://127.0.0.1:1' } };
  return new PurgeClient(run.api, (await run.api.post('/api/property', body)).data.id);
}

function register(id: string, tier: 'edge' | 'shield', url: string) {
  return addEdge({ id, driver: 'varnish', tier, secret, url }, 'hash');
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Objects of each site: the first are purged while the edge is away, the next during its catch-up, the last never. */
const missedCount = volume(30, 150);
const lateCount = volume(6, 20);
const objects = {
  missed: range(0, missedCount),
  late: range(missedCount, missedCount + lateCount),
  kept: range(missedCount + lateCount, missedCount + lateCount + 30),
} as const;
const allObjects = Object.values(objects).flat();

/** An object that each kind of purge can name. */
function ask(hostname: string, number: number): Ask {
  return {
    hostname,
    target: `/${number}/page?number=${number}`,
    wish: { headers: { 'surrogate-key': `page number-${number}`, 'cache-control': 'max-age=3600' } },
  };
}

function purgeBodies(number: number): readonly object[] {
  return [
    { type: 'url', urls: [`/${number}/page?number=${number}`] },
    { type: 'tag', tags: [`number-${number}`] },
    { type: 'prefix', prefixes: [`/${number}/`] },
  ];
}

/** So many purges that name every one of the objects, each time by another kind. */
function purgesOf(count: number, numbers: readonly number[]): readonly object[] {
  return range(0, count).map((index) => {
    const bodies = purgeBodies(numbers[index % numbers.length] ?? 0);
    return bodies[(index + Math.floor(index / numbers.length)) % bodies.length] ?? {};
  });
}

/** One purge of so many URLs, under none of which there is an object. */
function manyUrls(count: number): object {
  return { type: 'url', urls: range(0, count).map((number) => `/many/${number}`) };
}

beforeAll(async () => {
  run = await startTestRun();
});
afterAll(() => run.end());

describeNode('A Varnish that was away', () => {
  /** Past 1,000 values of a property one purge of all of it stands for them. */
  const missed: Readonly<Record<string, readonly object[]>> = {
    'much.example.com': [...purgesOf(volume(30, 1_100), objects.missed), manyUrls(volume(1_000, 1))],
    'some.example.com': purgesOf(volume(30, 500), objects.missed),
    'few.example.com': purgesOf(volume(30, 400), objects.missed),
  };
  const sites = Object.keys(missed);
  const clients = new Map<string, PurgeClient>();

  let origin: TestOrigin;
  let varnish: RunningNode;
  let way: TcpProxy;
  let browser: EdgeClient;

  beforeAll(async () => {
    origin = new TestOrigin();
    varnish = await startNode({ backend: await origin.start() }, secret);
    browser = new EdgeClient(varnish.baseUrl);
    way = new TcpProxy(varnish.baseUrl);
    await way.open();
    await register('away', 'edge', way.url);
    for (const site of sites) clients.set(site, await createProperty(site));
  });
  afterAll(async () => {
    await removeEdge('away');
    await way.cut();
    await browser.stop();
    await varnish.stop();
    await origin.stop();
  });

  const clientOf = (site: string): PurgeClient => {
    const client = clients.get(site);
    if (!client) throw new Error(`there is no property for ${site}`);
    return client;
  };

  const send = (site: string, purges: readonly object[]): Promise<readonly string[]> =>
    inParallel(purges, concurrency, (body) => clientOf(site).send(body));

  /** Numbers of the site’s objects that the edge has. */
  const stored = async (site: string): Promise<readonly number[]> => {
    const areHits = await Promise.all(allObjects.map((number) => browser.isHit(ask(site, number))));
    return allObjects.filter((_, index) => areHits[index]);
  };

  test('is exact when it has come back: all that was purged meanwhile is gone, and nothing else', async () => {
    for (const site of sites) {
      await Promise.all(allObjects.map((number) => browser.ask(ask(site, number))));
      expect(await stored(site)).toEqual(allObjects);
    }
    origin.epoch += 1;
    await way.cut();
    const ids = new Map<string, readonly string[]>();
    for (const site of sites) ids.set(site, await send(site, missed[site] ?? []));
    for (const [site, sent] of ids) {
      const all = await inParallel(sent, concurrency, (id) =>
        clientOf(site).untilEdgeIs(id, 'away', 'retrying'),
      );
      expect(all.map((purge) => [purge.status, edgeOf(purge, 'embedded')?.status])).toEqual(
        all.map(() => ['running', 'completed']),
      );
      expect(await stored(site)).toEqual(allObjects);
    }
    await way.open();
    await catchUpNow(run, 'away');
    await untilCatchingUp('away');
    const late = new Map<string, readonly string[]>();
    for (const site of sites) late.set(site, await send(site, purgesOf(lateCount, objects.late)));
    for (const [site, sent] of [...ids, ...late]) {
      await clientOf(site).untilAllAre(sent, 'completed', limitMilliseconds);
    }
    await untilCurrent('away');
    for (const [site, sent] of ids) {
      const all = await inParallel(sent, concurrency, (id) => clientOf(site).get(id));
      const isMuch = site === 'much.example.com';
      expect(all.map((purge) => edgeOf(purge, 'away')?.coveredBy)).toEqual(
        all.map(() => (isMuch ? 'all' : undefined)),
      );
      expect(await stored(site)).toEqual(isMuch ? [] : objects.kept);
    }
  });

  test('is asked at once again, as if nothing had been', async () => {
    const client = clientOf('much.example.com');
    const done = await client.untilIs(await client.send(), 'completed');
    expect(edgeOf(done, 'away')).toMatchObject({
      status: 'completed',
      attempts: 1,
      removed: allObjects.length,
    });
  });
});

describeNode('A shield that was away', () => {
  const hostname = 'tiers.example.com';
  let origin: TestOrigin;
  let shield: RunningNode;
  let lower: RunningNode;
  let way: TcpProxy;
  let lowerWay: TcpProxy;
  let browser: EdgeClient;
  let client: PurgeClient;

  beforeAll(async () => {
    origin = new TestOrigin();
    shield = await startNode({ backend: await origin.start() }, secret, { tier: 'shield' });
    lower = await startNode({ backend: shield.baseUrl }, secret);
    browser = new EdgeClient(lower.baseUrl);
    way = new TcpProxy(shield.baseUrl);
    lowerWay = new TcpProxy(lower.baseUrl);
    for (const each of [way, lowerWay]) await each.open();
    await register('shield', 'shield', way.url);
    await register('lower', 'edge', lowerWay.url);
    client = await createProperty(hostname);
  });
  afterAll(async () => {
    for (const id of ['lower', 'shield']) await removeEdge(id);
    for (const each of [way, lowerWay]) await each.cut();
    await browser.stop();
    for (const server of [lower, shield, origin]) await server.stop();
  });

  test('keeps the edge below it pending, which is purged again after it: no old content remains', async () => {
    const page = ask(hostname, 1);
    await browser.ask(page);
    const old = origin.epoch;
    origin.epoch += 1;
    await way.cut();
    const ids = await inParallel(purgeBodies(1), concurrency, (body) => client.send(body));
    for (const id of ids) {
      const running = await client.untilEdgeIs(id, 'shield', 'retrying');
      expect([running.status, edgeOf(running, 'lower')?.status]).toEqual(['running', 'pending']);
    }
    expect([await browser.epoch(page), await browser.isHit(page)]).toEqual([old, true]);
    await way.open();
    await catchUpNow(run, 'shield');
    for (const id of ids) {
      const done = await client.untilIs(id, 'completed', limitMilliseconds);
      expect(edgeOf(done, 'lower')?.attempts).toBeGreaterThan(1);
    }
    expect(await browser.epoch(page)).toBe(origin.epoch);
  });

  test('reopens what an edge below it had done, where that is away when the shield is fixed', async () => {
    const fixed = { id: 'shield', driver: 'varnish', tier: 'shield', secret, url: way.url } as const;
    const page = ask(hostname, 2);
    await browser.ask(page);
    const old = origin.epoch;
    origin.epoch += 1;
    await replaceEdge({ ...fixed, secret: 'not its secret at all' }, 'hash');
    const id = await client.send({ type: 'url', urls: [page.target] });
    const failed = await client.untilIs(id, 'failed');
    expect(['shield', 'lower'].map((edge) => edgeOf(failed, edge)?.status)).toEqual(['failed', 'completed']);
    expect([await browser.epoch(page), await browser.isHit(page)]).toEqual([old, true]);
    await lowerWay.cut();
    const other = await client.send({ type: 'url', urls: ['/other'] });
    await client.untilEdgeIs(other, 'lower', 'retrying');
    await replaceEdge(fixed, 'hash');
    const running = await client.untilEdgeIs(id, 'shield', 'completed');
    expect([running.status, edgeOf(running, 'lower')?.status]).toEqual(['running', 'pending']);
    await lowerWay.open();
    for (const each of [id, other]) await client.untilIs(each, 'completed', limitMilliseconds);
    expect(await browser.epoch(page)).toBe(origin.epoch);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ConfigBench, useConfigBench, wish } from './support/config-bench.ts';
import type { ConfiguredNode } from './support/configured-node.ts';
import { ConfiguredTiers } from './support/configured-tiers.ts';
import { contentOf, EdgeClient } from './support/edge-client.ts';
import { describeNode } from './support/node-kit.ts';
import { partsOf } from './support/node-parts.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

const away = [502, 'The origin is away.\n'];

/** Makes a site, whose page the edge has stored for a second. */
async function storedSite(bench: ConfigBench, cache: object): Promise<string> {
  const hostname = await bench.site(bench.fresh(), { cache });
  await bench.ask(hostname, '/', wish({ 'cache-control': 'max-age=1' }));
  return hostname;
}

describeNode('An edge whose shield', () => {
  let way: TcpProxy;
  const tiers = new ConfiguredTiers(async (shieldUrl) => {
    way = new TcpProxy(shieldUrl);
    await way.open();
    return way.url;
  });
  const configured = Promise.withResolvers<void>();
  tiers.shield.api.before = () => configured.promise;
  const bench = useConfigBench(tiers);
  afterAll(() => way.cut());
  const outcome = async (hostname: string) => {
    const { status, body } = await bench.ask(hostname);
    return [status, body];
  };

  test('has just been started is away, until the shield has its whole configuration', async () => {
    const propertyId = bench.fresh();
    const change = bench.changeOf({ propertyId });
    const hostname = `${propertyId}.example`;
    await tiers.edge.apply([change]);
    expect(await outcome(hostname)).toEqual(away);
    configured.resolve();
    await eventually(
      () => outcome(hostname),
      ([status]) => status === 200,
    );
    await bench.purgeEdge(hostname);
    const before = bench.origin.requests;
    if (change.document) await tiers.shield.write(change.document);
    for (const _ of [1, 2]) {
      await bench.purgeEdge(hostname);
      await bench.ask(hostname);
    }
    expect(bench.origin.requests - before).toBe(1);
  });

  test('cannot be reached serves what it may, else 502, says why, and is back by itself', async () => {
    const [none, error, revalidate] = [
      await storedSite(bench, {}),
      await storedSite(bench, { staleIfErrorSeconds: 1000 }),
      await storedSite(bench, { staleWhileRevalidateSeconds: 1000 }),
    ];
    const fresh = await bench.site(bench.fresh());
    await bench.ask(fresh);
    await way.cut();
    await eventually(
      () => outcome(none),
      ([status]) => status === 502,
    );
    expect(await outcome(none)).toEqual(away);
    for (const hostname of [error, revalidate]) {
      const stale = await eventually(
        () => bench.ask(hostname),
        ({ headers }) => Number(headers.age) >= 2,
      );
      expect([stale.status, stale.isHit]).toEqual([200, true]);
    }
    expect((await bench.ask(fresh)).isHit).toBe(true);
    expect(tiers.edge.node.output()).toMatch(/haproxy: no response of the shield for http:\S+, .*: 503 SC/);
    bench.origin.epoch += 1;
    await way.open();
    for (const hostname of [none, error, revalidate])
      await eventually(
        async () => (await bench.ask(hostname)).body,
        (body) => body.includes(`"epoch":${bench.origin.epoch}`),
      );
  });

  test('says that the origin fails serves what it may', async () => {
    const [none, error] = [
      await storedSite(bench, {}),
      await storedSite(bench, { staleIfErrorSeconds: 1000 }),
    ];
    const failing = wish({}, 503);
    await eventually(
      () => bench.ask(none, '/', failing),
      ({ status }) => status === 503,
    );
    const stale = await eventually(
      () => bench.ask(error, '/', failing),
      ({ headers }) => Number(headers.age) >= 2,
    );
    expect([stale.status, stale.isHit]).toEqual([200, true]);
  });

  test('stands still serves what is stored and what may be stale; what waits is served when it goes on', async () => {
    const stale = await storedSite(bench, { staleWhileRevalidateSeconds: 1000 });
    const shield = partsOf(tiers.shield.node.process.pid ?? 0);
    const nginx = [...shield].filter(([name]) => name.includes('nginx')).map(([, pid]) => pid);
    for (const pid of nginx) process.kill(pid, 'SIGSTOP');
    const waiting = bench.ask(stale, '/waiting');
    const response = await eventually(
      () => bench.ask(stale),
      ({ headers }) => Number(headers.age) >= 2,
    );
    expect([response.status, response.isHit]).toEqual([200, true]);
    for (const pid of nginx) process.kill(pid, 'SIGCONT');
    expect(contentOf(await waiting).target).toBe('/waiting');
  });

  test('reads its files again while it is asked loses no request', async () => {
    const hostname = await bench.site(bench.fresh());
    const isReadAgain = /configuration are read again/g;
    const reloads = () => tiers.shield.node.output().match(isReadAgain)?.length ?? 0;
    let number = 0;
    const statuses: number[] = [];
    for (const _ of [1, 2, 3]) {
      const before = reloads();
      tiers.shield.node.process.kill('SIGHUP');
      const until = number + 100;
      while (number < until || reloads() === before) {
        number += 4;
        const targets = [0, 1, 2, 3].map((index) => `/${number + index}`);
        statuses.push(
          ...(await Promise.all(targets.map(async (target) => (await bench.ask(hostname, target)).status))),
        );
      }
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('leads back to the site by the shield’s own address is 508', async () => {
    const hostname = await bench.site(bench.fresh(), { origin: { url: tiers.shieldUrl } });
    expect((await bench.ask(hostname)).status).toBe(508);
  });

  test('logs what it is asked; the shield logs nothing', async () => {
    const hostname = await bench.site(bench.fresh());
    for (const target of ['/one', '/one', '/two']) await bench.ask(hostname, target);
    const client = new EdgeClient(tiers.shieldUrl);
    await client.ask({ hostname, target: '/three' });
    await client.stop();
    const linesOf = ({ node: { dir } }: ConfiguredNode): readonly string[] =>
      readFileSync(join(dir, 'access.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes(`"h":"${hostname}"`));
    const lines = await eventually(
      async () => linesOf(tiers.edge),
      ({ length }) => length === 3,
    );
    expect(lines.map((line) => JSON.parse(line).hd)).toEqual(['miss', 'hit', 'miss']);
    expect(existsSync(join(tiers.shield.node.dir, 'access.log'))).toBe(false);
  });
});

import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Bench, beginFetch, refreshMilliseconds, useBench } from './support/bench.ts';
import { type Ask, contentOf } from './support/edge-client.ts';
import { describeNode, type RunningNode, roomyNode, startNode } from './support/node-kit.ts';

const hostname = 'refresh.example';

/** Stores a page, renews the origin's content and purges the page. */
async function storeAndPurge({ client, origin, purge }: Bench, soft: boolean, ask: Ask): Promise<void> {
  await client.ask(ask);
  expect(await client.isHit(ask)).toBe(true);
  origin.epoch += 1;
  expect(await purge({ type: 'url', soft, hostnames: [hostname], values: [ask.target] })).toEqual({
    removed: 1,
  });
}

function isNewOn(bench: () => Bench) {
  return (epoch: number): boolean => epoch === bench().origin.epoch;
}

describeNode('Varnish', () => {
  let node: RunningNode;
  const bench = useBench({
    ...roomyNode,
    async start(backend, key) {
      node = await startNode({ backend }, key);
      return node;
    },
  });
  /** How many requests have waited for another's fetch so far. */
  const waiting = (): number => {
    const args = ['-n', node.dir, '-1', '-f', 'MAIN.busy_sleep'];
    return Number(execFileSync('varnishstat', args, { encoding: 'utf8' }).split(/\s+/)[1]);
  };
  /** What the origin holds is released, as soon as it holds anything. */
  const releaseAll = async (): Promise<void> => {
    await eventually(
      async () => bench().origin.held,
      (held) => held > 0,
    );
    bench().origin.release();
  };

  describe('How Varnish refreshes', () => {
    const isNew = isNewOn(bench);

    test('after a soft purge nobody waits: the stale page is served while one request refreshes it', async () => {
      const ask = { hostname, target: '/soft', wish: { delayMilliseconds: 100 } };
      await storeAndPurge(bench(), true, ask);
      const before = bench().origin.requests;
      const responses = await Promise.all([1, 2, 3, 4].map(() => bench().client.ask(ask)));
      expect(responses.map((response) => [response.isHit, isNew(contentOf(response).epoch)])).toEqual(
        Array(4).fill([true, false]),
      );
      await eventually(() => bench().client.epoch(ask), isNew, refreshMilliseconds);
      expect(bench().origin.requests - before).toBe(1);
    });

    test('a refresh that fails leaves the stale page until the next one', async () => {
      const ask = { hostname, target: '/failing' };
      await storeAndPurge(bench(), true, ask);
      const failing = { ...ask, wish: { status: 503 } };
      for (const _ of [1, 2]) {
        expect((await bench().client.ask(failing)).status).toBe(200);
        await sleep(30);
      }
      await bench().client.ask(ask);
      await eventually(() => bench().client.epoch(ask), isNew, refreshMilliseconds);
    });
  });

  describe('What Varnish makes of 304', () => {
    const wish = { headers: { etag: '"1"' }, isNotModified: true };

    test('no stale page is renewed by it: the origin is asked for all of the page', async () => {
      const ask = { hostname, target: '/not-modified', wish };
      await storeAndPurge(bench(), true, ask);
      await eventually(() => bench().client.epoch(ask), isNewOn(bench), refreshMilliseconds);
      expect(bench().origin.notModified).toBe(0);
    });

    test('a browser gets it, from the edge and through the edge', async () => {
      const ask = { hostname, target: '/browser', headers: { 'if-none-match': '"1"' }, wish };
      const through = { ...ask, headers: { ...ask.headers, cookie: 'a=b' } };
      const responses = [
        await bench().client.ask(ask),
        await bench().client.ask(ask),
        await bench().client.ask(through),
      ];
      expect(responses.map(({ status, isHit }) => [status, isHit])).toEqual([
        [304, false],
        [304, true],
        [304, false],
      ]);
      expect(bench().origin.notModified).toBe(1);
    });
  });

  describe('What waits in Varnish', () => {
    test('requests that wait for a fetch from before the purge do not get its response', async () => {
      const ask = { hostname, target: '/waiting', wish: { isHeld: true, headers: { age: '5' } } };
      const { response } = await beginFetch(bench(), ask);
      bench().origin.epoch += 1;
      await bench().purge({ type: 'all', soft: false, hostnames: [hostname], values: [] });
      const before = waiting();
      const epochs = Promise.all([1, 2, 3, 4, 5].map(() => bench().client.epoch(ask)));
      await eventually(
        async () => waiting(),
        (count) => count === before + 5,
      );
      bench().origin.release();
      expect(contentOf(await response).epoch).toBe(bench().origin.epoch - 1);
      await Promise.race([epochs, releaseAll()]);
      expect(await epochs).toEqual(Array(5).fill(bench().origin.epoch));
    });

    test('a purge ends a large page that is still on its way to its first reader', async () => {
      const ask = { hostname, target: '/large', wish: { paddingBytes: 20_000_000 } };
      const fetching = bench().client.ask(ask);
      await eventually(() => bench().client.isHit({ ...ask, method: 'HEAD' }), Boolean);
      bench().origin.epoch += 1;
      await bench().purge({ type: 'all', soft: false, hostnames: [hostname], values: [] });
      expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
      await fetching;
      expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
    });

    test('a page that could not be stored once is stored as soon as it can be', async () => {
      const ask = { hostname, target: '/once-private' };
      const secretly = { ...ask, wish: { headers: { 'cache-control': 'private' } } };
      await bench().client.ask(secretly);
      await bench().client.ask(secretly);
      expect([await bench().client.isHit(ask), await bench().client.isHit(ask)]).toEqual([false, true]);
    });
  });
});

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../infra/local/host/listen.ts';
import { removeEdge } from '../../../shared/edge/edge-table.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { runOperator } from '../../support/program.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';
import { EdgeClient } from './support/edge-client.ts';
import { describeNode, type RunningNode, startNode } from './support/node-kit.ts';
import { TestOrigin } from './support/test-origin.ts';

const callCount = volume(2, 15);

/** For 15,000 objects, so that none is evicted before it is purged. */
const room = ['--storage', '256m'];

const secret = 'a secret of sixteen characters or more';

describeNode('From the API to real Varnish', () => {
  let run: TestRun;
  let origin: TestOrigin;
  let shield: RunningNode;
  let varnish: RunningNode;
  let edge: EdgeClient;
  let mine: string;
  let theirs: string;

  const operator = (...args: string[]) => runOperator([...args, '--json'], { DATA_DIR: run.folder });

  const addEdge = async (id: string, url: string, tier: string, given = secret) => {
    const file = join(run.folder, `${id}.secret`);
    writeFileSync(file, `${given}\n`);
    const flags = ['--id', id, '--driver', 'varnish', '--url', url, '--tier', tier, '--secret-file', file];
    expect((await operator('edge', 'add', ...flags)).stderr).toBe('');
  };

  const createProperty = async (api: ApiClient, hostname: string): Promise<string> => {
    const body = { name: 'Site', hostnames: [hostname], origin: { url: 'http://127.0.0.1:1' } };
    return (await api.post('/api/property', body)).data.id;
  };

  /** Purges through the API and waits until it is completed on every edge. */
  const purge = async (body: object, api = run.api, propertyId = mine) => {
    const path = `/api/property/${propertyId}/purge`;
    const { data } = await api.post(path, body);
    const read = () => api.get(`${path}/${data.purgeId}`);
    const { data: done } = await eventually(read, (response) =>
      /completed|failed/.test(response.data.status),
    );
    return done;
  };

  beforeAll(async () => {
    run = await startTestRun();
    await removeEdge('embedded');
    origin = new TestOrigin();
    shield = await startNode({ backend: await origin.start() }, secret, { tier: 'shield', flags: room });
    varnish = await startNode({ backend: shield.baseUrl }, secret, { flags: room });
    await addEdge('shield-1', shield.baseUrl, 'shield');
    await addEdge('edge-1', varnish.baseUrl, 'edge');
    edge = new EdgeClient(varnish.baseUrl);
    mine = await createProperty(run.api, 'mine.example.com');
    theirs = await createProperty(run.stranger, 'theirs.example.com');
  });

  afterAll(async () => {
    await edge.stop();
    await varnish.stop();
    await shield.stop();
    await origin.stop();
    await run.end();
  });

  const pages = ['/', '/news', '/news/today?page=2', '/shop/it%20is?a&b'];
  const wish = { headers: { 'surrogate-key': 'news front' } };
  const asks = pages.flatMap((target) =>
    ['mine.example.com', 'theirs.example.com'].map((hostname) => ({ hostname, target, wish })),
  );

  /** Hosts and targets that the edge no longer has, after it was filled and then purged. */
  const goneAfter = async (body: object): Promise<string[]> => {
    for (const ask of asks) await edge.ask(ask);
    expect((await Promise.all(asks.map((ask) => edge.isHit(ask)))).every(Boolean)).toBe(true);
    origin.epoch += 1;
    const { status, edges } = await purge(body);
    expect([status, edges.map(({ id }: { id: string }) => id).sort()]).toEqual([
      'completed',
      ['edge-1', 'shield-1'],
    ]);
    expect(edges.every(({ removed }: { removed: number }) => removed > 0)).toBe(true);
    const responses = await Promise.all(asks.map(async (ask) => ({ ...ask, epoch: await edge.epoch(ask) })));
    return responses
      .filter(({ epoch }) => epoch === origin.epoch)
      .map(({ hostname, target }) => hostname + target);
  };

  const onMine = (...targets: string[]): string[] => targets.map((target) => `mine.example.com${target}`);

  test.each([
    [{ type: 'all' }, pages],
    [{ type: 'hostname', hostnames: 'MINE.example.com' }, pages],
    [{ type: 'url', urls: ['/news'] }, ['/news']],
    [{ type: 'url', urls: ['https://mine.example.com:8443/shop/it%20is?b&a#x'] }, ['/shop/it%20is?a&b']],
    [{ type: 'prefix', prefixes: ['/news'] }, ['/news', '/news/today?page=2']],
    [{ type: 'prefix', prefixes: ['/news/'] }, ['/news/today?page=2']],
    [{ type: 'tag', tags: ['news'] }, pages],
  ])('the purge %j takes what it names, on both tiers, and nothing else', async (body, named) => {
    expect(await goneAfter(body)).toEqual(onMine(...named));
  });

  test('what another account purges is not this one’s', async () => {
    await edge.ask({ hostname: 'mine.example.com', target: '/kept', wish });
    const done = await purge({ type: 'tag', tags: ['news'] }, run.stranger, theirs);
    expect(done.status).toBe('completed');
    expect(await edge.isHit({ hostname: 'mine.example.com', target: '/kept', wish })).toBe(true);
  });

  test('a wrong secret is seen by edge check and in the purge’s status', async () => {
    await addEdge('wrong', varnish.baseUrl, 'edge', 'another secret of sixteen characters');
    const { status, stdout } = await operator('edge', 'check', '--id', 'wrong');
    expect([status, JSON.parse(stdout)]).toEqual([
      1,
      { id: 'wrong', ok: false, detail: expect.stringContaining('401') },
    ]);
    expect((await operator('edge', 'check', '--id', 'edge-1')).status).toBe(0);
    const failed = await purge({ type: 'all' });
    const wrong = failed.edges.find(({ id }: { id: string }) => id === 'wrong');
    expect([failed.status, wrong]).toEqual([
      'failed',
      expect.objectContaining({ lastError: expect.stringContaining('401') }),
    ]);
    await removeEdge('wrong');
  });

  test(`${callCount} calls of 1,000 URLs each: all gone, in far fewer edge requests than URLs`, async () => {
    let requests = 0;
    const counter = createServer((_, response) => {
      requests += 1;
      response.end('{"removed":0}');
    });
    const url = `http://127.0.0.1:${await listen(counter, 0, 'a port')}`;
    await addEdge('counter', url, 'edge');
    const targets = Array.from({ length: callCount * 1_000 }, (_, index) => `/many/${index}?page=${index}`);
    const hostname = 'mine.example.com';
    for (let first = 0; first < targets.length; first += 500) {
      await Promise.all(targets.slice(first, first + 500).map((target) => edge.ask({ hostname, target })));
    }
    origin.epoch += 1;
    const calls = Array.from({ length: callCount }, (_, call) =>
      targets.slice(call * 1_000, (call + 1) * 1_000),
    );
    const purges = await Promise.all(calls.map((urls) => purge({ type: 'url', urls })));
    // A response that came too late to be read took its count with it; the purge is then asked again.
    const readAtOnce = purges
      .flatMap(({ edges }) => edges)
      .filter(({ id, attempts }) => id !== 'counter' && attempts === 1);
    expect(purges.map(({ status, jobCount }) => [status, jobCount])).toEqual(
      calls.map(() => ['completed', 1_000]),
    );
    expect(readAtOnce.map(({ removed }) => removed)).toEqual(readAtOnce.map(() => 1_000));
    let stale = 0;
    for (let first = 0; first < targets.length; first += 500) {
      const epochs = await Promise.all(
        targets.slice(first, first + 500).map((target) => edge.epoch({ hostname, target })),
      );
      stale += epochs.filter((epoch) => epoch !== origin.epoch).length;
    }
    expect(stale).toBe(0);
    expect(requests).toBeLessThan(targets.length / 20);
    counter.closeAllConnections();
    counter.close();
    await removeEdge('counter');
  });
});

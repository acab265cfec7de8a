import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LocalRun } from '../../infra/local/local-run.ts';
import { purgeKeys } from '../../shared/edge/cache-keys.ts';
import type { ImmediateEdge } from '../../shared/edge/edge.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { immediateDrivers } from '../../shared/edge/immediate-drivers.ts';
import { ApiClient } from '../support/api-client.ts';
import { percentile, withLocalRun } from './run.ts';

/**
 * How long after the API's response a purge is done on the last of 50 edges, against the same purges sent straight
 * to the edges, one of each in turn. Prints p50, p99 and their ratios.
 */
const edgeCount = 50;
const rounds = 200;
const warmUpRounds = 20;

function now(): number {
  return performance.timeOrigin + performance.now();
}

async function startEdges() {
  const delaysMilliseconds = Array.from(
    { length: edgeCount },
    (_, index) => 5 + (45 * index) / (edgeCount - 1),
  );
  const worker = new Worker(join(import.meta.dirname, 'fake-edges.ts'), {
    workerData: { delaysMilliseconds },
  });
  const waiting = new Map<string, { readonly done: (at: number) => void; left: number }>();
  const ready = Promise.withResolvers<readonly number[]>();
  worker.on('message', ({ ports, keys, at }: { ports?: number[]; keys: string; at: number }) => {
    if (ports) return ready.resolve(ports);
    const purge = waiting.get(keys);
    if (purge && --purge.left === 0) purge.done(at);
  });
  return {
    worker,
    ports: await ready.promise,
    /** When the last edge was done with the purge of this key. */
    lastDone: (key: string) => new Promise<number>((done) => waiting.set(key, { done, left: edgeCount })),
  };
}

type Edges = Awaited<ReturnType<typeof startEdges>>;

async function measure(run: LocalRun, registered: readonly ImmediateEdge[], edges: Edges) {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const purgeOf = (url: string) =>
    ({ type: 'url', soft: false, hostnames: [run.hostname], values: [url] }) as const;
  const keyOf = (url: string) => purgeKeys(purgeOf(url)).join(' ');

  const throughApi = async (url: string): Promise<number> => {
    const done = edges.lastDone(keyOf(url));
    await api.post(`/api/property/${run.propertyId}/purge`, { type: 'url', urls: [url] });
    const respondedAt = now();
    return Math.max((await done) - respondedAt, 0);
  };
  const straight = async (url: string): Promise<number> => {
    const done = edges.lastDone(keyOf(url));
    const sentAt = now();
    await Promise.all(registered.map((edge) => immediateDrivers[edge.driver].prepare(purgeOf(url))(edge)));
    return (await done) - sentAt;
  };

  const apiMilliseconds: number[] = [];
  const straightMilliseconds: number[] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const pair = [await throughApi(`/api/${round}`), await straight(`/straight/${round}`)] as const;
    if (round < 0) continue;
    apiMilliseconds.push(pair[0]);
    straightMilliseconds.push(pair[1]);
  }
  return { apiMilliseconds, straightMilliseconds };
}

await withLocalRun(async (run) => {
  const edges = await startEdges();
  await removeEdge('embedded');
  const registered = edges.ports.map(
    (port, index): ImmediateEdge => ({
      id: `edge-${index}`,
      driver: 'varnish',
      url: `http://127.0.0.1:${port}`,
      tier: 'edge',
      secret: 'a secret of the benchmark',
    }),
  );
  for (const edge of registered) await addEdge(edge, 'hash');
  const { apiMilliseconds, straightMilliseconds } = await measure(run, registered, edges);
  for (const part of [0.5, 0.99]) {
    const [api, straight] = [percentile(apiMilliseconds, part), percentile(straightMilliseconds, part)];
    console.log(
      `p${part * 100}: after the API's response ${api.toFixed(1)} ms, straight to the edges ${straight.toFixed(1)} ms, ratio ${(api / straight).toFixed(2)}`,
    );
  }
  await edges.worker.terminate();
});

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LocalRun } from '../../infra/local/local-run.ts';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Mood } from '../support/recording-edge.ts';
import { edgeStates } from '../support/registry.ts';
import { percentile, withLocalRun } from './run.ts';

/**
 * How long after the API's response a purge is done on the last healthy one of 50 edges, with four bad ones among
 * them (refusing, hanging, slow by 2 s, responding 500) and with none, in turn; each turn begins with edges that
 * were good until then.
 */
const edgeCount = 50;
const bad: readonly Mood[] = ['refusing', 'hanging', 'slow', 'error'];
const kinds = ['good', 'bad'] as const;
const turns = 6;
const purgesOneByOne = 40;
const purgesAtOnce = 200;

function now(): number {
  return performance.timeOrigin + performance.now();
}

interface EdgeMessage {
  readonly ports?: readonly number[];
  readonly keys?: string;
  readonly edge?: number;
  readonly at?: number;
}

/** Edges in a thread of their own, and when each key was purged on the last of the healthy ones. */
async function startEdges() {
  const worker = new Worker(join(import.meta.dirname, 'fake-edges.ts'), {
    workerData: { delaysMilliseconds: Array.from({ length: edgeCount }, () => 5) },
  });
  const doneOn = new Map<string, Set<number>>();
  const waiting = new Map<string, (at: number) => void>();
  const ready = Promise.withResolvers<readonly number[]>();
  worker.on('message', ({ ports, keys = '', edge = 0, at = 0 }: EdgeMessage) => {
    if (ports) return ready.resolve(ports);
    if (edge < bad.length) return;
    for (const key of keys.split(' ')) {
      const edges = doneOn.get(key) ?? new Set();
      doneOn.set(key, edges.add(edge));
      if (edges.size === edgeCount - bad.length) waiting.get(key)?.(at);
    }
  });
  return {
    worker,
    ports: await ready.promise,
    lastDone: (key: string) => new Promise<number>((resolve) => waiting.set(key, resolve)),
  };
}

async function allCurrent(): Promise<void> {
  await eventually(edgeStates, (states) => [...states.values()].every(({ lagging }) => !lagging), 400_000);
}

type Edges = Awaited<ReturnType<typeof startEdges>>;

async function measure(run: LocalRun, { lastDone }: Edges, name: string) {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const send = async (url: string) => {
    const done = lastDone(urlKey(run.hostname, url));
    const { status } = await api.post(`/api/property/${run.propertyId}/purge`, { type: 'url', urls: [url] });
    if (status !== 200) throw new Error(`the API responded with ${status}`);
    return { done, respondedAt: now() };
  };
  const oneByOne: number[] = [];
  for (let number = 0; number < purgesOneByOne; number += 1) {
    const { done, respondedAt } = await send(`/${name}/${number}`);
    oneByOne.push(Math.max((await done) - respondedAt, 0));
  }
  const startedAt = now();
  const sent = await Promise.all(
    Array.from({ length: purgesAtOnce }, (_, number) => send(`/${name}/burst/${number}`)),
  );
  const ends = await Promise.all(sent.map(({ done }) => done));
  return { oneByOne, burst: Math.max(...ends) - startedAt };
}

/** Ends with all edges well again. */
async function turnOf(run: LocalRun, edges: Edges, kind: (typeof kinds)[number], name: string) {
  edges.worker.postMessage(kind === 'bad' ? bad : []);
  const measured = await measure(run, edges, `${kind}/${name}`);
  edges.worker.postMessage([]);
  await allCurrent();
  return measured;
}

await withLocalRun(async (run) => {
  const edges = await startEdges();
  await removeEdge('embedded');
  for (const [index, port] of edges.ports.entries()) {
    const url = `http://127.0.0.1:${port}`;
    await addEdge(
      { id: `edge-${index}`, driver: 'varnish', tier: 'edge', url, secret: 's'.repeat(32) },
      'hash',
    );
  }
  for (const kind of kinds) await turnOf(run, edges, kind, 'warm-up');
  const found = {
    good: { times: [] as number[], bursts: [] as number[] },
    bad: { times: [] as number[], bursts: [] as number[] },
  };
  for (let turn = 0; turn < turns; turn += 1) {
    const kind = kinds[turn % 2] ?? 'good';
    const { oneByOne, burst } = await turnOf(run, edges, kind, String(turn));
    found[kind].times.push(...oneByOne);
    found[kind].bursts.push(burst);
  }
  for (const part of [0.5, 0.95]) {
    const [good, withBad] = [percentile(found.good.times, part), percentile(found.bad.times, part)];
    console.log(
      `one by one, p${part * 100}: all good ${good.toFixed(1)} ms, four bad ${withBad.toFixed(1)} ms, ratio ${(withBad / good).toFixed(2)}`,
    );
  }
  const [good, withBad] = [percentile(found.good.bursts, 0.5), percentile(found.bad.bursts, 0.5)];
  console.log(
    `${purgesAtOnce} at once, until the last is done: all good ${good.toFixed(0)} ms, four bad ${withBad.toFixed(0)} ms, ratio ${(withBad / good).toFixed(2)}`,
  );
  await edges.worker.terminate();
});
process.exit();

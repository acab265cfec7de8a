import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ImmediateEdge } from '../../../shared/edge/edge.ts';
import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import type { Mood } from '../../support/moods.ts';

interface EdgeMessage {
  readonly ports?: readonly number[];
  readonly keys?: string;
  readonly edge?: number;
  readonly at?: number;
}

/** Edges in a thread of their own, registered in the place of the run's own. */
export class Edges {
  readonly registered: readonly ImmediateEdge[];
  private readonly worker: Worker;
  /** How many edges have still to purge a key, and who waits for the last. */
  private readonly waiting = new Map<
    string,
    { readonly done: (at: number) => void; readonly left: Set<number> }
  >();
  /** By their numbers, those whose purges nobody waits for. */
  private bad = 0;

  private constructor(worker: Worker, ports: readonly number[]) {
    this.worker = worker;
    this.registered = ports.map((port, index) => ({
      id: `edge-${index}`,
      driver: 'varnish',
      tier: 'edge',
      url: `http://127.0.0.1:${port}`,
      secret: 's'.repeat(32),
    }));
    worker.on('message', (message: EdgeMessage) => this.note(message));
  }

  /** @param delaysMilliseconds how long each takes for a purge */
  static async start(delaysMilliseconds: readonly number[]): Promise<Edges> {
    const worker = new Worker(join(import.meta.dirname, 'fake-edges.ts'), {
      workerData: { delaysMilliseconds },
    });
    const ready = Promise.withResolvers<readonly number[]>();
    worker.once('message', ({ ports = [] }: EdgeMessage) => ready.resolve(ports));
    worker.once('error', ready.reject);
    const edges = new Edges(worker, await ready.promise);
    await removeEdge('embedded');
    for (const edge of edges.registered) await addEdge(edge, 'hash');
    return edges;
  }

  /** The first of them behave so from now on, all others as they should. */
  setMoods(moods: readonly Mood[]): void {
    this.bad = moods.length;
    this.worker.postMessage(moods);
  }

  /** When the last of those that behave is done with the purge of this key. */
  lastDone(key: string): Promise<number> {
    const good = Array.from(this.registered, (_, edge) => edge).slice(this.bad);
    return new Promise((done) => this.waiting.set(key, { done, left: new Set(good) }));
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }

  private note({ keys = '', edge = 0, at = 0 }: EdgeMessage): void {
    for (const key of keys.split(' ')) {
      const purge = this.waiting.get(key);
      purge?.left.delete(edge);
      if (purge?.left.size !== 0) continue;
      this.waiting.delete(key);
      purge.done(at);
    }
  }
}

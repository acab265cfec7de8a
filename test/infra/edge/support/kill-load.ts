import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
import { contentOf, EdgeClient } from './edge-client.ts';
import type { RunningNode } from './node-kit.ts';
import type { TestOrigin } from './test-origin.ts';

const visitors = 6;
const targets = Array.from({ length: 20 }, (_, number) => `/page/${number}`);
const pauseMilliseconds = 10;

/** Visits and purges without an end; it knows what no visitor may be shown any more. */
export class KillLoad {
  requests = 0;
  failed = 0;
  stale = 0;
  purges = 0;
  private readonly client: EdgeClient;
  private readonly ended = new AbortController();
  private readonly running: readonly Promise<void>[];
  /** The oldest content that may be served, by target. */
  private readonly oldest = new Map<string, number>();
  private readonly node: RunningNode;
  private readonly origin: TestOrigin;
  private readonly hostname: string;

  constructor(node: RunningNode, origin: TestOrigin, hostname: string) {
    this.node = node;
    this.origin = origin;
    this.hostname = hostname;
    this.client = new EdgeClient(node.baseUrl, visitors);
    const again = (work: (number: number) => Promise<void>) => this.again(work);
    this.running = [
      ...Array.from({ length: visitors }, () => again(() => this.visit())),
      again((number) => this.purgeOne(number)),
    ];
  }

  async end(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.running);
    await this.client.stop();
  }

  private async again(work: (number: number) => Promise<void>): Promise<void> {
    for (let number = 0; !this.ended.signal.aborted; number += 1) await work(number);
  }

  private async visit(): Promise<void> {
    const target = targets[Math.floor(Math.random() * targets.length)] ?? '';
    const oldest = this.oldest.get(target) ?? 0;
    this.requests += 1;
    try {
      const { epoch } = contentOf(await this.client.ask({ hostname: this.hostname, target }));
      if (epoch < oldest) this.stale += 1;
      await sleep(1);
    } catch {
      this.failed += 1;
      await sleep(pauseMilliseconds);
    }
  }

  /** Until the node says that it is done. */
  private async purgeOne(number: number): Promise<void> {
    this.origin.epoch += 1;
    const { epoch } = this.origin;
    const target = targets[number % targets.length] ?? '';
    const isAll = number % 4 === 0;
    const purge: EdgePurge = {
      type: isAll ? 'all' : 'url',
      soft: false,
      hostnames: [this.hostname],
      values: isAll ? [] : [target],
    };
    while (!(await this.isPurged(purge))) {
      if (this.ended.signal.aborted) return;
      await sleep(pauseMilliseconds);
    }
    this.purges += 1;
    for (const each of isAll ? targets : [target]) this.oldest.set(each, epoch);
    await sleep(pauseMilliseconds);
  }

  private isPurged(purge: EdgePurge): Promise<boolean> {
    return immediateDrivers.varnish
      .prepare(purge)(this.node.edge)
      .then(
        () => true,
        () => false,
      );
  }
}

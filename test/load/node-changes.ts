import { setTimeout as sleep } from 'node:timers/promises';
import { EdgeClient } from '../infra/edge/support/edge-client.ts';
import type { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';

const visitors = 4;
const pauseMilliseconds = 2;

export interface ChangesOnNode {
  /** From the API's response to each change until a visitor meets it. */
  readonly liveMilliseconds: readonly number[];
  /** What each visitor's request has taken. */
  readonly visitMilliseconds: readonly number[];
  readonly requests: number;
  readonly failed: number;
}

/** Changes a rule again and again while visitors come, and waits each time until the node serves by it. */
export async function changeUnderLoad(
  api: ApiClient,
  nodeUrl: string,
  { propertyId, hostname }: { readonly propertyId: string; readonly hostname: string },
  changes: number,
): Promise<ChangesOnNode> {
  const visits = new Visits(nodeUrl, hostname);
  const actions = (value: string) => [{ type: 'setResponseHeader', name: 'X-Version', value }];
  const path = `/api/property/${propertyId}/rules`;
  const { data } = await api.post(path, { name: 'Version', conditions: [], actions: actions('0') });
  await visits.untilSeen('0');
  const liveMilliseconds: number[] = [];
  for (let number = 1; number <= changes; number += 1) {
    const { status, text } = await api.send(`${path}/${data.id}`, {
      method: 'PATCH',
      headers: [['X-API-Key', api.key]],
      body: { actions: actions(String(number)) },
    });
    const respondedAt = performance.now();
    if (status !== 200) throw new Error(text);
    await visits.untilSeen(String(number));
    liveMilliseconds.push(performance.now() - respondedAt);
  }
  await visits.end();
  const { visitMilliseconds, requests, failed } = visits;
  return { liveMilliseconds, visitMilliseconds, requests, failed };
}

/** Visitors who come without an end, and what they meet. */
class Visits {
  readonly visitMilliseconds: number[] = [];
  requests = 0;
  failed = 0;
  private seen = '';
  private isOver = false;
  private readonly hostname: string;
  private readonly client: EdgeClient;
  private readonly running: readonly Promise<void>[];

  constructor(nodeUrl: string, hostname: string) {
    this.client = new EdgeClient(nodeUrl, visitors);
    this.hostname = hostname;
    this.running = Array.from({ length: visitors }, () => this.visitAgain());
  }

  async untilSeen(version: string): Promise<void> {
    let asked = 0;
    while (this.seen !== version) {
      asked += 1;
      if (asked > 30_000) throw new Error(`version ${version} is not served, but ${this.seen}`);
      await sleep(1);
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    await this.client.stop();
  }

  private async visitAgain(): Promise<void> {
    for (let number = 0; !this.isOver; number += 1) {
      this.requests += 1;
      await this.visit(`/${number % 50}`).catch(() => {
        this.failed += 1;
      });
      await sleep(pauseMilliseconds);
    }
  }

  private async visit(target: string): Promise<void> {
    const startedAt = performance.now();
    const { status, headers } = await this.client.ask({ hostname: this.hostname, target });
    this.visitMilliseconds.push(performance.now() - startedAt);
    if (status !== 200) throw new Error(String(status));
    this.seen = String(headers['x-version'] ?? '');
  }
}

/** Until the first response of this status. */
export function untilStatus(client: EdgeClient, hostname: string, expected: number): Promise<unknown> {
  return eventually(
    async () => (await client.ask({ hostname, target: '/' }).catch(() => undefined))?.status,
    (status) => status === expected,
  );
}

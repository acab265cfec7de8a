import type { EdgeClient, EdgeResponse } from './edge-client.ts';

/** No property has it. */
export const unknownHost = 'unknown.example.com';

const ruled = {
  block: { prefix: '/blocked/', status: 403 },
  redirect: { prefix: '/moved/', status: 302 },
};

/** What the generator expects of a property's rules. */
export const loadRules = [
  ruleOf(ruled.block.prefix, { type: 'block' }),
  ruleOf(ruled.redirect.prefix, { type: 'redirect', location: '/to', status: ruled.redirect.status }),
];

function ruleOf(prefix: string, action: object) {
  const conditions = [{ field: 'path', operator: 'prefix', values: [prefix] }];
  return { name: prefix, conditions, actions: [action] };
}

interface Tally {
  requests: number;
  bytes: number;
  hits: number;
  passes: number;
  status2xx: number;
  status3xx: number;
  status4xx: number;
  status5xx: number;
}

function emptyTally(): Tally {
  return {
    requests: 0,
    bytes: 0,
    hits: 0,
    passes: 0,
    status2xx: 0,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
  };
}

/** Asks an edge for pages of some hosts, and keeps its own count of what it got. */
export class LoadGenerator {
  readonly tallies = new Map<string, Tally>();
  private readonly client: EdgeClient;
  private readonly hosts: readonly string[];
  private readonly atOnce: number;

  constructor(client: EdgeClient, hosts: readonly string[], atOnce: number) {
    this.client = client;
    this.hosts = hosts;
    this.atOnce = atOnce;
  }

  get requests(): number {
    return [...this.tallies.values()].reduce((sum, tally) => sum + tally.requests, 0);
  }

  async load(first: number, count: number): Promise<void> {
    let next = first;
    const worker = async () => {
      while (next < first + count) await this.ask(next++);
    };
    await Promise.all(Array.from({ length: this.atOnce }, worker));
  }

  /** Of each host mostly hits, some misses, passes, 404 and 500, blocks and redirects. */
  private async ask(index: number): Promise<void> {
    const hostname = index % 41 === 0 ? unknownHost : (this.hosts[index % this.hosts.length] ?? '');
    const isPass = index % 17 === 0;
    const status = index % 101 === 0 ? 500 : index % 29 === 0 ? 404 : 200;
    const kind = index % 23 === 0 ? ruled.block : index % 31 === 0 ? ruled.redirect : undefined;
    const page = index % 13 === 0 ? `/once/${index}` : `/${status}/${index % 50}`;
    const response = await this.client.askAgain({
      method: isPass ? 'POST' : 'GET',
      hostname,
      target: kind ? `${kind.prefix}${index}` : page,
      wish: { status, headers: { 'cache-control': 'max-age=3600' } },
    });
    const expected = hostname === unknownHost ? 404 : (kind?.status ?? status);
    if (response.status !== expected) throw new Error(`${response.status} in place of ${expected}`);
    this.count(hostname, response, isPass || kind !== undefined || hostname === unknownHost);
  }

  private count(hostname: string, { body, isHit, status }: EdgeResponse, isPass: boolean): void {
    const tally = this.tallies.get(hostname) ?? emptyTally();
    this.tallies.set(hostname, tally);
    tally.requests += 1;
    tally.bytes += Buffer.byteLength(body);
    if (isHit) tally.hits += 1;
    if (isPass) tally.passes += 1;
    if (status >= 500) tally.status5xx += 1;
    else if (status >= 400) tally.status4xx += 1;
    else if (status >= 300) tally.status3xx += 1;
    else tally.status2xx += 1;
  }
}

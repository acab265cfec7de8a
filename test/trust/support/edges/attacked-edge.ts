import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { canonicalTarget } from '../../../../shared/property/canonical-url.ts';
import type { Bench } from '../../../infra/edge/support/bench.ts';
import type { Ask } from '../../../infra/edge/support/edge-client.ts';
import type { EdgeUnderTest } from '../../../infra/edge/support/edge-under-test.ts';
import { sendRaw } from '../../../infra/edge/support/raw-request.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Tally } from '../tally.ts';
import type { HostileTags } from './hostile-tags.ts';
import type { Reflected, ReflectingOrigin } from './reflecting-origin.ts';

/** What an edge may respond to a visitor by itself, beside what the origin says. */
const allowed = new Set([
  '100',
  '200',
  '206',
  '400',
  '401',
  '403',
  '405',
  '408',
  '413',
  '414',
  '416',
  '417',
  '431',
]);

/** A body that ends early, or whose chunks cannot be read, is 503 where it was being passed on. */
const hasBody = /(?:content.length|transfer.encoding)/i;

const statusLine = /HTTP\/1\.[01] ([0-9]{3}) /g;
const internal = /^(?:xkey|x-hashtwo|x-guard.*|x-varnish|surrogate-key|x-purge.*)$/i;
const patience = 10_000;

/** Beyond this an edge need not read a response. */
const longestHeader = 30_000;

/** An edge that is attacked, and the clean visitors who ask it afterwards. */
export class AttackedEdge {
  private readonly bench: Bench<ReflectingOrigin>;
  private readonly tally: Tally;
  private readonly refuses: NonNullable<EdgeUnderTest['refuses']>;

  constructor(bench: Bench<ReflectingOrigin>, tally: Tally, refuses: EdgeUnderTest['refuses'] = () => false) {
    this.bench = bench;
    this.tally = tally;
    this.refuses = refuses;
  }

  /** @returns the statuses that came back */
  async attack(bytes: string, baseUrl = this.bench.running.baseUrl): Promise<readonly string[]> {
    this.tally.tried();
    const received = await this.inTime(sendRaw(baseUrl, bytes), bytes);
    const statuses = [...(received ?? '').matchAll(statusLine)].map(([, status = '']) => status);
    for (const status of statuses) {
      if (status === '503' && hasBody.test(bytes)) continue;
      if (status.startsWith('5')) this.tally.found('serverErrors', `${status} to ${shown(bytes)}`);
      else if (!allowed.has(status)) this.tally.found('wrong', `${status} to ${shown(bytes)}`);
    }
    for (const request of this.bench.origin.past.splice(0))
      this.tally.found('poisonings', `past the edge: ${request}`);
    return statuses;
  }

  /** Asks as any visitor does; what comes must be what the origin has for this visitor's own request. */
  async visit(ask: Ask, after: string): Promise<void> {
    this.tally.tried();
    const response = await this.inTime(this.bench.client.ask(ask), after);
    if (!response) return;
    const where = `${ask.hostname} ${ask.target} ${JSON.stringify(ask.headers ?? {})}`;
    const isRight = response.status === (this.refuses(ask.target) ? 400 : 200);
    const content = response.status === 200 ? faultOf(JSON.parse(response.body), ask) : undefined;
    const fault = isRight ? content : `status ${response.status}`;
    if (fault) this.tally.found('poisonings', `${where} has ${fault} after ${shown(after)}`);
    const leaked = Object.keys(response.headers).filter((name) => internal.test(name));
    if (leaked.length > 0) this.tally.found('leaks', `${leaked} to ${where} after ${shown(after)}`);
  }

  /** Where purges are attacked. */
  get tiers(): readonly string[] {
    const { edge, shield } = this.bench.running;
    return shield ? [edge.url, shield.url] : [edge.url];
  }

  /** Until it is stored: a purge of another tenant may hold its fetch back. */
  async store(ask: Ask): Promise<void> {
    this.tally.tried();
    await this.inTime(
      eventually(
        () => this.bench.client.isHit(ask),
        (isHit) => isHit,
      ),
      `storing ${ask.target}`,
    );
  }

  async expectStored(ask: Ask, after: string): Promise<void> {
    this.tally.tried();
    if ((await this.inTime(this.bench.client.isHit(ask), after)) === false)
      this.tally.found('wrong', `${ask.hostname}${ask.target} is gone after ${shown(after)}`);
  }

  /** As the API does. */
  async purge({ hostname, target }: Ask): Promise<void> {
    const purge = { type: 'url', soft: false, hostnames: [hostname], values: [target] } as const;
    return this.expectPurged({ hostname, target }, purge);
  }

  /** Asks for a page of such tags; where it is stored, the one that a purge can name purges it. */
  async tryTags(page: Ask, { wish, length, tag }: HostileTags): Promise<void> {
    const ask = { ...page, wish };
    this.tally.tried(2);
    await this.bench.client.ask(ask);
    const { status, isHit } = await this.bench.client.ask(ask);
    const isRight = status === 200 || (/^50[23]$/.test(String(status)) && length > longestHeader);
    if (!isRight) this.tally.found('serverErrors', `${status} for the tags ${JSON.stringify(wish)}`);
    if (!isHit || tag === undefined) return;
    await this.expectPurged(ask, { type: 'tag', soft: false, hostnames: [page.hostname], values: [tag] });
  }

  private async expectPurged(ask: Ask, purge: EdgePurge): Promise<void> {
    this.tally.tried(2);
    const what = JSON.stringify(purge);
    const purged = await this.inTime(this.bench.purge(purge), what);
    if (purged?.removed === 0 || (await this.bench.client.isHit(ask)))
      this.tally.found('stuck', `${ask.hostname}${ask.target} is still there after ${what}`);
  }

  private async inTime<Result>(response: Promise<Result>, after: string): Promise<Result | undefined> {
    const inTime = await Promise.race([response, sleep(patience, undefined, { ref: false })]);
    if (inTime === undefined) this.tally.found('stuck', `for ${patience} ms after ${shown(after)}`);
    return inTime;
  }
}

function faultOf(content: Reflected, { hostname, target, headers = {} }: Ask): string | undefined {
  const { epoch: _, target: seen, ...others } = content;
  const clean = {
    hostname,
    method: 'GET',
    forwarded: `http://${hostname}`,
    variant: `${headers['x-variant'] ?? ''}/${headers['accept-language'] ?? ''}`,
    heard: [],
    body: '',
  };
  const isClean =
    canonicalTarget(seen) === canonicalTarget(target) &&
    Object.entries(clean).every(
      ([name, value]) => JSON.stringify(Reflect.get(others, name)) === JSON.stringify(value),
    );
  return isClean ? undefined : JSON.stringify(content);
}

/** Enough to send it again. */
function shown(bytes: string): string {
  return bytes.length > 1_500 ? `${JSON.stringify(bytes.slice(0, 1_500))}…` : JSON.stringify(bytes);
}

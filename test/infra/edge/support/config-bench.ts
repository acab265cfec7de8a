import { afterAll, beforeAll } from 'vitest';
import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import type { EdgePurge, EdgePurged } from '../../../../shared/edge/driver.ts';
import type { ImmediateEdge } from '../../../../shared/edge/edge.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
import type { EdgeTier } from '../../../../shared/edge/tier.ts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import type { Action } from '../../../../shared/rule/action.ts';
import type { CompiledRule } from '../../../../shared/rule/compiled-rule.ts';
import type { Bench } from './bench.ts';
import { configDocument } from './config-documents.ts';
import { type ConfiguredEdge, configSecret } from './configured-edge.ts';
import { type Ask, EdgeClient, type EdgeResponse } from './edge-client.ts';
import type { RunningEdge } from './edge-under-test.ts';
import { NotingOrigin } from './noting-origin.ts';
import type { Wish } from './test-origin.ts';

type Cache = ConfigDocument['cache'];

/** What one certificate of the edge is for, where it listens for TLS. */
export const certifiedDomain = '.sites.example';

interface Visitor {
  readonly client: EdgeClient;
  readonly scheme: 'http' | 'https';
}

const allKeys = 'h,u,p,t,r';

export interface SiteSettings extends Partial<Omit<ConfigDocument, 'cache'>> {
  readonly cache?: Partial<Omit<Cache, 'queryString'>> & {
    readonly queryString?: Partial<Cache['queryString']>;
  };
}

/** An edge that documents are applied to, its visitors, and the origin of its sites, which counts. */
export class ConfigBench {
  readonly origin = new NotingOrigin();
  readonly edge: ConfiguredEdge;
  originUrl = '';
  baseUrl = '';
  /** By http; where the edge listens for TLS, also by https, on HTTP/1.1 and on HTTP/2. */
  private clients: readonly EdgeClient[] = [];
  private version = 0;
  private number = 0;

  constructor(edge: ConfiguredEdge) {
    this.edge = edge;
  }

  async start(): Promise<void> {
    this.originUrl = await this.origin.start();
    const { tls } = this.edge;
    tls?.put('sites.pem', [`*${certifiedDomain}`]);
    this.baseUrl = await this.edge.start();
    const secure = [false, true].flatMap(
      (isHttp2) => tls?.client(`any${certifiedDomain}`, { isHttp2 }) ?? [],
    );
    this.clients = [new EdgeClient(this.baseUrl), ...secure];
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.stop()));
    await this.edge.stop();
    await this.origin.stop();
  }

  get client(): EdgeClient {
    return this.visitor(0).client;
  }

  /** One after the other of those that the edge has, and the scheme that it asks by. */
  visitor(number: number): Visitor {
    const place = number % this.clients.length;
    const client = this.clients[place];
    if (!client) throw new Error('the bench has not been started yet');
    return { client, scheme: place === 0 ? 'http' : 'https' };
  }

  /** A property that no test had before. */
  fresh(): string {
    this.number += 1;
    return `site-${this.number}`;
  }

  /** Applies a property's document; @returns its first host name */
  async site(propertyId: string, settings: SiteSettings = {}): Promise<string> {
    const [hostname = ''] = await this.apply([{ propertyId, ...settings }]);
    return hostname;
  }

  /** Applies the documents of many; @returns the first host name of each */
  async apply(sites: readonly SiteSettings[]): Promise<readonly string[]> {
    const documents = sites.map((settings) => this.documentOf(settings));
    await this.edge.apply(documents.map(changeTo));
    return documents.map(({ hostnames }) => hostnames[0]?.hostname ?? '');
  }

  async remove(...propertyIds: readonly string[]): Promise<void> {
    this.version += 1;
    await this.edge.apply(
      propertyIds.map((propertyId) => ({ propertyId, version: this.version, document: null })),
    );
  }

  /** What would be applied, for suites that apply it to one tier alone. */
  changeOf(settings: SiteSettings): ConfigChange {
    return changeTo(this.documentOf(settings));
  }

  private documentOf({ cache, ...settings }: SiteSettings): ConfigDocument {
    this.version += 1;
    const { cache: common, ...document } = configDocument({
      version: this.version,
      origin: { url: this.originUrl },
      ...settings,
    });
    const queryString = { ...common.queryString, ...cache?.queryString };
    return { ...document, cache: { ...common, ...cache, queryString } };
  }

  ask(hostname: string, target = '/', more: Partial<Ask> = {}): Promise<EdgeResponse> {
    return this.client.ask({ hostname, target, ...more });
  }

  /** Whether the second visitor is served from the edge. */
  async isStored(hostname: string, target = '/', more: Partial<Ask> = {}): Promise<boolean> {
    await this.ask(hostname, target, more);
    return (await this.ask(hostname, target, more)).isHit;
  }

  async purge(purge: Partial<EdgePurge>, acceptedKeys = allKeys): Promise<number | undefined> {
    const whole = { type: 'all', soft: false, hostnames: [], values: [], ...purge } as const;
    const purged = await this.purgeTiers(whole, acceptedKeys);
    return purged.removed;
  }

  /** And no tier behind it. */
  async purgeEdge(hostname: string): Promise<void> {
    const purge = { type: 'all', soft: false, hostnames: [hostname], values: [] } as const;
    await immediateDrivers.varnish.prepare(purge)(this.running().edge);
  }

  /** For suites that know nothing of documents. */
  asBench(): Bench {
    const { origin, client } = this;
    const running = this.running();
    return {
      origin,
      client,
      running,
      purge: (purge) => this.purgeTiers(purge),
      stop: () => this.stop(),
    };
  }

  /** Shields first. @returns what the edge says */
  private async purgeTiers(purge: EdgePurge, acceptedKeys = allKeys): Promise<EdgePurged> {
    const send = immediateDrivers.varnish.prepare(purge);
    const { shield, edge } = this.running();
    if (shield) await send({ ...shield, acceptedKeys });
    return send({ ...edge, acceptedKeys });
  }

  private running(): RunningEdge {
    const {
      baseUrl,
      edge: { shieldUrl },
    } = this;
    const stop = () => this.stop();
    const edge = edgeAt('edge', baseUrl);
    return { edge, ...(shieldUrl && { shield: edgeAt('shield', shieldUrl) }), baseUrl, stop };
  }
}

function changeTo(document: ConfigDocument): ConfigChange {
  const { propertyId, version } = document;
  return { propertyId, version, document };
}

function edgeAt(tier: EdgeTier, url: string): ImmediateEdge {
  return { id: tier, driver: 'varnish', url, tier, secret: configSecret, acceptedKeys: allKeys };
}

/** One that always matches. */
export function ruleOf(...actions: readonly Action[]): CompiledRule {
  const isFinal = actions.some(({ type }) => type === 'block' || type === 'redirect');
  return { id: 'rule', name: 'Rule', match: 'all', conditions: [], actions, isFinal };
}

/** What an origin is to respond. */
export function wish(headers: NonNullable<Wish['headers']>, status = 200): Partial<Ask> {
  return { wish: { headers, status } };
}

/** A bench for the tests of a file. */
export function useConfigBench(edge: ConfiguredEdge): ConfigBench {
  const bench = new ConfigBench(edge);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());
  return bench;
}

import { afterAll, beforeAll } from 'vitest';
import { EmbeddedEdge } from '../../../../infra/edge/embedded/embedded-edge.ts';
import type { OriginOptions } from '../../../../infra/edge/embedded/origins.ts';
import { Sites } from '../../../../infra/edge/embedded/sites.ts';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { immediateDrivers } from '../../../../shared/edge/immediate-drivers.ts';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import type { Action } from '../../../../shared/rule/action.ts';
import type { CompiledRule } from '../../../../shared/rule/compiled-rule.ts';
import { configDocument } from './config-documents.ts';
import { EdgeClient } from './edge-client.ts';
import { addressOf } from './listen.ts';
import { TestOrigin } from './test-origin.ts';

export const configSecret = 'a secret of sixteen characters or more';

type Cache = ConfigDocument['cache'];

interface SiteSettings extends Partial<Omit<ConfigDocument, 'cache'>> {
  readonly cache?: Partial<Omit<Cache, 'queryString'>> & {
    readonly queryString?: Partial<Cache['queryString']>;
  };
}

/** An edge that documents are applied to, its visitors, and the origin of its sites, which counts. */
export class ConfigBench {
  readonly sites = new Sites();
  readonly origin = new TestOrigin();
  polls = 0;
  originUrl = '';
  private edge: EmbeddedEdge | undefined;
  private visitors: EdgeClient | undefined;
  private url = '';
  private version = 0;

  async start(origins: OriginOptions = { allowsPrivate: true }): Promise<void> {
    this.originUrl = await this.origin.start();
    this.edge = new EmbeddedEdge({
      sites: this.sites,
      origins,
      secret: configSecret,
      defaultHostname: 'default.example',
      onPoll: () => {
        this.polls += 1;
      },
    });
    this.url = await addressOf(this.edge.server);
    this.visitors = new EdgeClient(this.url);
  }

  async stop(): Promise<void> {
    await this.client.stop();
    await this.edge?.stop();
    await this.origin.stop();
  }

  get client(): EdgeClient {
    if (!this.visitors) throw new Error('the bench has not been started yet');
    return this.visitors;
  }

  get baseUrl(): string {
    return this.url;
  }

  /** Applies a property's document; @returns its first host name */
  site(propertyId: string, { cache, ...settings }: SiteSettings = {}): string {
    this.version += 1;
    const { cache: common, ...document } = configDocument({
      propertyId,
      version: this.version,
      origin: { url: this.originUrl },
      ...settings,
    });
    const queryString = { ...common.queryString, ...cache?.queryString };
    const whole = { ...document, cache: { ...common, ...cache, queryString } };
    this.sites.apply([{ propertyId, version: this.version, document: whole }]);
    return whole.hostnames[0]?.hostname ?? '';
  }

  remove(propertyId: string): void {
    this.version += 1;
    this.sites.apply([{ propertyId, version: this.version, document: null }]);
  }

  async purge(purge: Partial<EdgePurge>, acceptedKeys = 'h,u,p,t,r'): Promise<number | undefined> {
    const edge = {
      id: 'edge',
      driver: 'varnish',
      url: this.url,
      tier: 'edge',
      secret: configSecret,
      acceptedKeys,
    } as const;
    const whole = { type: 'all', soft: false, hostnames: [], values: [], ...purge } as const;
    return (await immediateDrivers.varnish.prepare(whole)(edge)).removed;
  }
}

/** One that always matches. */
export function ruleOf(...actions: readonly Action[]): CompiledRule {
  const isFinal = actions.some(({ type }) => type === 'block' || type === 'redirect');
  return { id: 'rule', name: 'Rule', match: 'all', conditions: [], actions, isFinal };
}

/** A bench for the tests of a file. */
export function useConfigBench(origins?: OriginOptions): ConfigBench {
  const bench = new ConfigBench();
  beforeAll(() => bench.start(origins));
  afterAll(() => bench.stop());
  return bench;
}

import type { ConfigChange } from '../../../../infra/edge/agent/config-agent.d.mts';
import { EmbeddedEdge } from '../../../../infra/edge/embedded/embedded-edge.ts';
import type { OriginOptions } from '../../../../infra/edge/embedded/origins.ts';
import { Sites } from '../../../../infra/edge/embedded/sites.ts';
import { conditionPath } from '../../../../shared/rule/condition-path.ts';
import { configDocument } from './config-documents.ts';
import { type ConfiguredEdge, configSecret } from './configured-edge.ts';
import type { BackendUnderTest } from './edge-under-test.ts';
import { addressOf } from './listen.ts';

/** Serves whatever host name from the origin, by one property's configuration. */
export const embeddedKit: BackendUnderTest = {
  name: 'The embedded edge',
  driver: 'varnish',
  refuses: (target) => conditionPath(target) === undefined,
  async start(url, secret) {
    const document = configDocument({ origin: { url } });
    const edge = new EmbeddedEdge({
      sites: { find: () => document },
      origins: { allowsPrivate: true },
      secret,
      defaultHostname: 'default.example',
    });
    const baseUrl = await addressOf(edge.server);
    return {
      edge: { id: 'embedded', driver: 'varnish', url: baseUrl, tier: 'edge', secret },
      baseUrl,
      stop: () => edge.stop(),
    };
  },
};

/** The embedded edge, given documents by hand. */
export class ConfiguredEmbedded implements ConfiguredEdge {
  readonly refuses = embeddedKit.refuses;
  polls = 0;
  private readonly sites = new Sites();
  private readonly edge: EmbeddedEdge;

  constructor(origins: OriginOptions = { allowsPrivate: true }) {
    this.edge = new EmbeddedEdge({
      sites: this.sites,
      origins,
      secret: configSecret,
      defaultHostname: 'default.example',
      onPoll: () => {
        this.polls += 1;
      },
    });
  }

  start(): Promise<string> {
    return addressOf(this.edge.server);
  }

  async apply(changes: readonly ConfigChange[]): Promise<void> {
    this.sites.apply(changes);
  }

  stop(): Promise<void> {
    return this.edge.stop();
  }
}

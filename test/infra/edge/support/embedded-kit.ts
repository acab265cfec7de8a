import { EmbeddedEdge } from '../../../../infra/edge/embedded/embedded-edge.ts';
import { conditionPath } from '../../../../shared/rule/condition-path.ts';
import { configDocument } from './config-documents.ts';
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

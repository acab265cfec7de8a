import { EmbeddedEdge } from '../../../../infra/edge/embedded/embedded-edge.ts';
import type { BackendUnderTest } from './edge-under-test.ts';
import { addressOf } from './listen.ts';

export const embeddedKit: BackendUnderTest = {
  name: 'The embedded edge',
  driver: 'varnish',
  async start(origin, secret) {
    const edge = new EmbeddedEdge({ origin, secret, defaultHostname: 'default.example' });
    const baseUrl = await addressOf(edge.server);
    return {
      edge: { id: 'embedded', driver: 'varnish', url: baseUrl, tier: 'edge', secret },
      baseUrl,
      stop: () => edge.stop(),
    };
  },
};

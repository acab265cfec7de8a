import { EmbeddedEdge } from '../../../infra/edge/embedded/embedded-edge.ts';
import { describeDriverContract } from './driver-contract.ts';
import { addressOf } from './support/listen.ts';

describeDriverContract({
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
});

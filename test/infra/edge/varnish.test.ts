import { describeDriverContract } from './driver-contract.ts';
import { describeVarnish, startVarnish, varnishKit } from './support/varnish-kit.ts';

describeVarnish('The Varnish kit', () => {
  describeDriverContract({
    ...varnishKit,
    name: 'Varnish',
    start: (origin, secret) => startVarnish(origin, secret, { flags: ['--storage', '256m'] }),
  });
});

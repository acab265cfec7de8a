import { describeDriverContract } from './driver-contract.ts';
import { describeVarnish, startVarnish } from './support/varnish-kit.ts';

describeVarnish('The Varnish kit', () => {
  describeDriverContract({
    name: 'Varnish',
    driver: 'varnish',
    start: (origin, secret) => startVarnish(origin, secret, { flags: ['--storage', '256m'] }),
  });
});

import { failsPlainly, file, refusesMisuse } from './support/kit-run.ts';
import { describeNginx } from './support/nginx-kit.ts';

describeNginx('A wrong use of the nginx kit’s run', () => refusesMisuse('nginx'));

describeNginx('What the nginx kit’s run cannot do', () => {
  const withoutModules = file('nginx', '#!/bin/sh\necho --modules-path=/nowhere >&2\n', 0o755);

  failsPlainly('nginx', [
    ['no nginx', {}, { NGINX: '/nowhere/nginx' }, /nginx is missing: install the packages/],
    ['no modules', {}, { NGINX: withoutModules }, /the nginx module cache_purge is missing: install/],
    ['an unknown backend', { backend: 'http://no-such-host.invalid:1' }, {}, /host not found in upstream/],
    ['a network with host bits', { 'purge-from': '10.0.0.1/8' }, {}, /low address bits of 10.0.0.1\/8/],
    ['a network that is none', { 'purge-from': '10.0.0.0/33' }, {}, /invalid parameter "10.0.0.0\/33"/],
  ]);
});

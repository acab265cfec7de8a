import { failsPlainly, file, refusesMisuse } from './support/kit-run.ts';
import { describeVarnish } from './support/varnish-kit.ts';

describeVarnish('A wrong use of the Varnish kit’s run', () => {
  refusesMisuse('varnish', [
    [{ 'tag-header': 'XKey' }, /--tag-header XKey/],
    [{ 'access-log': 'maybe' }, /--access-log must be on or off/],
  ]);
});

describeVarnish('What the Varnish kit’s run cannot do', () => {
  const withoutVmods = file('varnishd', '#!/bin/sh\nexec varnishd -p vmod_path=/nowhere "$@"\n', 0o755);
  const path = `${process.env.PATH}:/usr/sbin`;

  failsPlainly('varnish', [
    ['no varnishd', {}, { VARNISHD: '/nowhere/varnishd' }, /varnishd is missing: install the packages/],
    ['no VMODs', {}, { VARNISHD: withoutVmods, PATH: path }, /the VMOD \w+ is missing: install/],
    ['an unknown backend', { backend: 'http://no-such-host.invalid:1' }, {}, /could not be resolved/],
    ['a network with host bits', { 'purge-from': '10.0.0.1/8' }, {}, /Non-zero bits/],
  ]);
});

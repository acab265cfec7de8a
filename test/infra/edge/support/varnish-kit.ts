import { globSync } from 'node:fs';
import { describe } from 'vitest';
import { type KitOptions, kitOf, type RunningKit, startKit } from './edge-kit.ts';
import type { ContractEdge } from './edge-under-test.ts';

export const kitFolder = kitOf('varnish');

const isInstalled = ['xkey', 'digest'].every(
  (name) => globSync(`/usr/lib/{*/,}varnish/vmods/libvmod_${name}.so`).length > 0,
);

/** Where tests must not be left out, a missing package is a failure. */
const isSkipped = !isInstalled && process.env.CI !== 'true';

/** A suite that needs Varnish; where it is missing, the suite's name says so. */
export const describeVarnish = (name: string, tests: () => void): void => {
  describe.skipIf(isSkipped)(
    isSkipped ? `${name} (skipped: Varnish is missing, npm run setup:edge installs it)` : name,
    tests,
  );
};

export const startVarnish = (backend: string, secret: string, options?: KitOptions): Promise<RunningKit> =>
  startKit('varnish', backend, secret, options);

/** The kit as benches start it. */
export const varnishKit: ContractEdge = {
  name: 'The Varnish kit',
  driver: 'varnish',
  storesVariants: true,
  refusesUnreadable: false,
  start: (origin, secret) => startVarnish(origin, secret),
};

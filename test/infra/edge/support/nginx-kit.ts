import { describe } from 'vitest';
import { installed } from '../../../support/installed.ts';
import { type KitOptions, type RunningKit, startKit } from './edge-kit.ts';
import type { ContractEdge } from './edge-under-test.ts';

const isInstalled = installed('/usr/sbin/nginx', '-t', '-c', `${import.meta.dirname}/nginx-modules.conf`);

/** A suite that needs nginx and its modules; where they are missing, the suite's name says so. */
export const describeNginx = (name: string, tests: () => void): void => {
  describe.skipIf(!isInstalled)(
    isInstalled
      ? name
      : `${name} (skipped: nginx or a module of it is missing, npm run setup:edge installs it)`,
    tests,
  );
};

export const startNginx = (backend: string, secret: string, options?: KitOptions): Promise<RunningKit> =>
  startKit('nginx', backend, secret, options);

/** The kit as benches start it. */
export const nginxKit: ContractEdge = {
  name: 'The nginx kit',
  driver: 'nginx',
  storesVariants: false,
  refusesUnreadable: true,
  start: (origin, secret) => startNginx(origin, secret),
};

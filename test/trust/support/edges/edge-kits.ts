import { describe } from 'vitest';
import type { EdgeUnderTest } from '../../../infra/edge/support/edge-under-test.ts';
import { embeddedKit } from '../../../infra/edge/support/embedded-kit.ts';
import { describeNode, roomyNode, twoTiers } from '../../../infra/edge/support/node-kit.ts';

interface Kit {
  readonly kit: EdgeUnderTest;
  /** Leaves the suite out, and says so, where the kit's packages are missing. */
  readonly describe: (name: string, tests: () => void) => void;
  /** Folder below `infra/edge`. */
  readonly folder: string;
}

/** Whatever visitors can reach: each is attacked alike. */
export const kits: readonly Kit[] = [
  { kit: embeddedKit, describe: (name, tests) => describe(name, tests), folder: 'embedded' },
  { kit: roomyNode, describe: describeNode, folder: 'node' },
  { kit: twoTiers, describe: describeNode, folder: 'node' },
];

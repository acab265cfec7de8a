import type { EdgeDriver } from './driver.ts';
import type { EdgeDriverName } from './edge.ts';
import { varnish } from './varnish.ts';

/** Every backend, one line each; the driver contract suite runs against all of them. */
export const drivers: Readonly<Record<EdgeDriverName, EdgeDriver>> = {
  varnish,
};

import type { ImmediateDriverName } from './backends.ts';
import type { ImmediateDriver } from './driver.ts';
import { varnish } from './varnish.ts';

/** Every backend that responds when it has done a purge, one line each. */
export const immediateDrivers: Readonly<Record<ImmediateDriverName, ImmediateDriver>> = {
  varnish,
};

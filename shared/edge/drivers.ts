import { type DirectDriverName, type EdgeDriverName, isDirect } from './backends.ts';
import type { EdgeDriver } from './driver.ts';
import { varnish } from './varnish.ts';

/** Every backend that is asked at once, one line each. */
export const drivers: Readonly<Record<DirectDriverName, EdgeDriver>> = {
  varnish,
};

/** @throws Error for a backend that is asked in batches */
export function directDriver(name: EdgeDriverName): EdgeDriver {
  if (isDirect(name)) return drivers[name];
  throw new Error(`${name} is asked in batches only`);
}

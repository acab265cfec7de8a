import { type DirectDriverName, type EdgeDriverName, isDirect } from './backends.ts';
import { type EdgeDriver, EdgeFailure } from './driver.ts';
import { varnish } from './varnish.ts';

/** Every backend that is asked at once, one line each; the driver contract suite runs against all of them. */
export const drivers: Readonly<Record<DirectDriverName, EdgeDriver>> = {
  varnish,
};

/** @throws EdgeFailure for a backend that is asked in batches */
export const directDriver = (name: EdgeDriverName): EdgeDriver => {
  if (isDirect(name)) return drivers[name];
  throw new EdgeFailure('unreachable', 'the edge is asked in batches, and waits for the next one');
};

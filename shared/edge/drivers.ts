import { type DirectDriverName, type EdgeDriverName, isDirect } from './backends.ts';
import { type EdgeDriver, EdgeFailure } from './driver.ts';
import { varnish } from './varnish.ts';

/** Every backend that is asked at once, one line each. */
const drivers: Readonly<Record<DirectDriverName, EdgeDriver>> = {
  varnish,
};

const fail = async (): Promise<never> => {
  throw new EdgeFailure(
    'denied',
    'the service has no driver for this edge: remove it, or give it another driver by edge replace',
  );
};

const noDriver: EdgeDriver = { purge: fail, check: fail };

/** @throws Error for a backend that is asked in batches */
export const directDriver = (name: EdgeDriverName | undefined): EdgeDriver => {
  if (name === undefined) return noDriver;
  if (isDirect(name)) return drivers[name];
  throw new Error(`${name} is asked in batches only`);
};

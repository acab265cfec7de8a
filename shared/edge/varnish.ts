import type { EdgeDriver } from './driver.ts';
import { sendCheck, sendPurge } from './edge-request.ts';

/** For what speaks all of the signed purge protocol: the Varnish kit and the embedded edge. */
export const varnish: EdgeDriver = {
  guardsFetches: true,
  purge: sendPurge,
  check: sendCheck,
};

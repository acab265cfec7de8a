import { type EdgeDriver, EdgeFailure } from './driver.ts';
import { sendCheck, sendPurge } from './edge-request.ts';

/** For the nginx kit, which speaks the signed purge protocol but knows an object by its URL only. */
export const nginx: EdgeDriver = {
  guardsFetches: false,
  async purge(edge, purge, limitMilliseconds) {
    if (purge.type !== 'url')
      throw new EdgeFailure('refused', `nginx cannot purge by ${purge.type}, only by url`);
    if (purge.soft) throw new EdgeFailure('refused', 'nginx cannot mark content stale, only remove it');
    return sendPurge(edge, purge, limitMilliseconds);
  },
  check: sendCheck,
};

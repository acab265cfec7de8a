import { createHmac, timingSafeEqual } from 'node:crypto';

const freshSeconds = 60;

/**
 * Tells the API's word “poll now” from forged, stale and replayed ones. It is a request of the purge protocol, whose
 * mode is `poll` and whose keys are different each time.
 */
export class Notifications {
  constructor(secret) {
    this.secret = secret;
    /** When each signature that was accepted is stale. */
    this.staleAt = new Map();
  }

  /** @returns {'accepted' | 'replayed' | 'refused'} */
  judge({ time, keys, signature }, nowMilliseconds = Date.now()) {
    const now = nowMilliseconds / 1000;
    if (Math.abs(now - time) > freshSeconds || !this.isSigned(`${time} poll ${keys}`, signature))
      return 'refused';
    for (const [known, staleAt] of this.staleAt) if (staleAt < now) this.staleAt.delete(known);
    if (this.staleAt.has(signature)) return 'replayed';
    this.staleAt.set(signature, time + freshSeconds);
    return 'accepted';
  }

  isSigned(text, signature) {
    const expected = Buffer.from(createHmac('sha256', this.secret).update(text).digest('hex'));
    const given = Buffer.from(signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

import { createHash } from 'node:crypto';
import { canonicalUrl } from './canonical-url.ts';
import type { EdgePurge } from './driver.ts';

/**
 * Keys that an edge puts on each object it stores and that a purge names: exact look-ups, so that nothing
 * else can match. They hold no white space and are the same on every edge that speaks the purge protocol.
 */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

export const hostKey = (hostname: string): string => `h/${hostname}`;

/** @param target path and query in canonical form */
export const urlKey = (hostname: string, target: string): string => `u/${digest(hostname + target)}`;

/** Keys of a stored object. */
export const objectKeys = (hostname: string, target: string): readonly string[] => [
  hostKey(hostname),
  urlKey(hostname, target),
];

const urlKeys = (value: string, hostnames: readonly string[]): readonly string[] => {
  const url = canonicalUrl(value);
  if (!url) throw new Error('a purge holds a value that is not canonical');
  const hosts = url.hostname === undefined ? hostnames : [url.hostname];
  return hosts.map((hostname) => urlKey(hostname, url.target));
};

/** Keys that a purge removes. */
export const purgeKeys = ({ type, hostnames, values }: EdgePurge): readonly string[] => {
  switch (type) {
    case 'all':
      return hostnames.map(hostKey);
    case 'url':
      return values.flatMap((value) => urlKeys(value, hostnames));
  }
};

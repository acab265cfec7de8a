import { createHash } from 'node:crypto';
import { canonicalUrl } from '../property/canonical-url.ts';
import type { EdgePurge } from './driver.ts';

type KeysOfTarget = (hostname: string, target: string) => readonly string[];

/** `/a` takes `/a` itself and what lies in `/a/`; `/a/` only the latter. */
const prefixKeys: KeysOfTarget = (hostname, path) =>
  path.endsWith('/') ? [pathKey(hostname, path)] : [pathKey(hostname, path), pathKey(hostname, `${path}/`)];

/** For edges that tell objects apart by the whole query. */
export const wholeUrlKeys: KeysOfTarget = (hostname, target) => [urlKey(hostname, target)];

/** For edges that may leave a part of the query out: what any visitor of the URL would get. */
export const reducedUrlKeys: KeysOfTarget = (hostname, target) => [
  urlKey(hostname, target),
  reducedKey(hostname, pathOf(target)),
];

export function hostKey(hostname: string): string {
  return `h/${hostname}`;
}

/** @param target path and query in canonical form */
export function urlKey(hostname: string, target: string): string {
  return `u/${hostname}/${digest(target)}`;
}

/**
 * On objects that requests with other queries get as well, beside the key of the target without what tells those apart.
 * @param path in canonical form
 */
export function reducedKey(hostname: string, path: string): string {
  return `r/${hostname}/${digest(path)}`;
}

/**
 * Keys that an edge puts on each object it stores and that a purge names: exact look-ups, so that nothing else can
 * match. Each names its tenant in the clear. They hold no white space and are the same on every edge that speaks
 * the purge protocol.
 */
export function objectKeys(hostname: string, target: string, tags: readonly string[]): readonly string[] {
  return [
    hostKey(hostname),
    urlKey(hostname, target),
    ...pathsOf(target).map((path) => pathKey(hostname, path)),
    ...tags.map((tag) => tagKey(hostname, tag)),
  ];
}

/**
 * Keys that a purge removes.
 * @param urlKeys those of a URL
 */
export function purgeKeys(
  { type, hostnames, values }: EdgePurge,
  urlKeys: KeysOfTarget = wholeUrlKeys,
): readonly string[] {
  switch (type) {
    case 'all':
      return hostnames.map(hostKey);
    case 'hostname':
      return values.map(hostKey);
    case 'url':
      return values.flatMap((value) => onHosts(value, hostnames, urlKeys));
    case 'prefix':
      return values.flatMap((value) => onHosts(value, hostnames, prefixKeys));
    case 'tag':
      return values.flatMap((tag) => hostnames.map((hostname) => tagKey(hostname, tag)));
  }
}

/** @param path a directory with its slash at the end, or a whole path without its query */
function pathKey(hostname: string, path: string): string {
  return `p/${hostname}/${digest(path)}`;
}

function tagKey(hostname: string, tag: string): string {
  return `t/${hostname}/${tag}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** `/a/b/c` lies in `/`, `/a/` and `/a/b/`, and is itself a border of a prefix. */
function pathsOf(target: string): readonly string[] {
  const path = pathOf(target);
  const directories = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
  return path.endsWith('/') ? directories : [...directories, path];
}

function pathOf(target: string): string {
  const [path = ''] = target.split('?', 1);
  return path;
}

function onHosts(value: string, hostnames: readonly string[], keysOf: KeysOfTarget): readonly string[] {
  const url = canonicalUrl(value);
  if (!url) throw new Error('a purge holds a value that is not canonical');
  const hosts = url.hostname === undefined ? hostnames : [url.hostname];
  return hosts.flatMap((hostname) => spellingsOf(url.target).flatMap((target) => keysOf(hostname, target)));
}

/** A purge can end in `*` as %2A only, and visitors write either. */
function spellingsOf(target: string): readonly string[] {
  return target.endsWith('%2A') ? [target, target.replace(/%2A$/, '*')] : [target];
}

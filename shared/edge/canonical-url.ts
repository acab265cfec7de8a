import { canonicalHostname } from '../property/hostname.ts';

const upperCaseEscapes = (text: string): string =>
  text.replace(/%[0-9a-fA-F]{2}/g, (hex) => hex.toUpperCase());

/** The order of parameters rarely means anything, and differs between a page's links and a plugin's purge. */
const sortedQuery = (search: string): string =>
  search.length > 1 ? `?${upperCaseEscapes(search.slice(1)).split('&').sort().join('&')}` : '';

/**
 * Path and query in the one form that the cache's key and a purge share: what browsers make of it, escapes in
 * upper case, parameters in order, no fragment.
 * @param target path and query, beginning with a slash
 */
export const canonicalTarget = (target: string): string => {
  const url = new URL(`http://host${target}`);
  return upperCaseEscapes(url.pathname) + sortedQuery(url.search);
};

/** A value of a purge: of one host, or of all the property's hosts where the host is undefined. */
export interface CanonicalUrl {
  readonly hostname: string | undefined;
  readonly target: string;
}

/**
 * @param text an absolute http or https URL, or a path beginning with a slash
 * @returns undefined for anything else; scheme and port do not tell objects apart and are dropped
 */
export const canonicalUrl = (text: string): CanonicalUrl | undefined => {
  if (text.startsWith('/')) return { hostname: undefined, target: canonicalTarget(text) };
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  const hostname = canonicalHostname(url.hostname);
  return hostname === undefined
    ? undefined
    : { hostname, target: canonicalTarget(url.pathname + url.search) };
};

/** As text again: what the queue carries and the status shows. */
export const formatUrl = ({ hostname, target }: CanonicalUrl): string =>
  hostname === undefined ? target : `https://${hostname}${target}`;

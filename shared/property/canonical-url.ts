import { canonicalHostname } from './hostname.ts';

/** A value of a purge: of one host, or of all the property's hosts where the host is undefined. */
export interface CanonicalUrl {
  readonly hostname: string | undefined;
  readonly target: string;
}

/**
 * Path and query in the one form that the cache's key and a purge share: what browsers make of it, escapes in
 * upper case, parameters in order, no fragment.
 * @param target path and query, beginning with a slash
 */
export function canonicalTarget(target: string): string {
  const url = new URL(`http://host${target}`);
  return upperCaseEscapes(url.pathname) + sortedQuery(url.search);
}

/**
 * @param text an http or https URL, one without its scheme (`//host/path`), or a path beginning with one slash
 * @returns undefined for anything else; scheme and port do not tell objects apart and are dropped
 */
export function canonicalUrl(text: string): CanonicalUrl | undefined {
  if (isPath(text)) return { hostname: undefined, target: canonicalTarget(text) };
  const url = URL.parse(text.startsWith('/') ? `https:${text}` : text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  const hostname = canonicalHostname(url.hostname);
  return hostname === undefined
    ? undefined
    : { hostname, target: canonicalTarget(url.pathname + url.search) };
}

/** As text again: what the queue carries and the status shows. A path never looks like a host. */
export function formatUrl({ hostname, target }: CanonicalUrl): string {
  if (hostname !== undefined) return `https://${hostname}${target}`;
  return isPath(target) ? target : `/.${target}`;
}

/** Browsers take what follows a second slash, or a backslash in its place, for a host. */
export function isPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text);
}

function upperCaseEscapes(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (hex) => hex.toUpperCase());
}

/** The order of parameters rarely means anything, and differs between a page's links and a plugin's purge. */
function sortedQuery(search: string): string {
  return search.length > 1 ? `?${upperCaseEscapes(search.slice(1)).split('&').sort().join('&')}` : '';
}

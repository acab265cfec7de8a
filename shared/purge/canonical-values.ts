import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { quoted } from '../http/quoted.ts';
import { canonicalUrl, formatUrl } from '../property/canonical-url.ts';
import { canonicalHostname, firstHostnames, hostnameInUrl } from '../property/hostname.ts';
import type { PurgeRequest } from './purge.ts';
import { endsInWildcard, wildcardFault } from './wildcard.ts';

const maximumNamed = 5;

/** Brings one value into its canonical form, or says what it must be. */
type Canonicalize = (value: string) => { readonly value: string } | { readonly fault: string };

/** A tag travels in HTTP headers, where the edge's tag header separates tags by space and comma. */
const canonicalizeTag: Canonicalize = (tag) =>
  /^[!-+\--~]+$/.test(tag)
    ? { value: tag }
    : { fault: 'must be a tag of printable ASCII characters without white space and comma' };

/** The values of a request as cache and purge share them; empty for the type `all`. */
export function canonicalValues(request: PurgeRequest, hostnames: readonly string[]): string[] {
  switch (request.type) {
    case 'all':
      return [];
    case 'url':
      return canonicalizeAll('urls', request.urls, canonicalizeUrl(hostnames));
    case 'prefix':
      return canonicalizeAll('prefixes', request.prefixes, canonicalizePrefix(hostnames));
    case 'tag':
      return canonicalizeAll('tags', request.tags, canonicalizeTag);
    case 'hostname':
      return canonicalizeAll('hostnames', request.hostnames, canonicalizeHostname(hostnames));
  }
}

/**
 * @throws ApiError `invalid` naming the first values at fault, so that nothing of the purge is queued
 * @returns the different values, in the order in which they came
 */
function canonicalizeAll(field: string, values: readonly string[], canonicalize: Canonicalize): string[] {
  const results = values.map(canonicalize);
  const faults = results.flatMap((result, index) =>
    'fault' in result ? [{ value: `${field}[${index}] ${quoted(values[index] ?? '')}`, ...result }] : [],
  );
  if (faults.length === 0) {
    return [...new Set(results.flatMap((result) => ('value' in result ? [result.value] : [])))];
  }
  const byFault = Map.groupBy(faults.slice(0, maximumNamed), ({ fault }) => fault);
  const phrases = [...byFault].map(
    ([fault, group]) => `${group.map(({ value }) => value).join(', ')} ${fault}`,
  );
  const more = faults.length > maximumNamed ? `; and ${faults.length - maximumNamed} more` : '';
  throw new ApiError('invalid', `Invalid request: ${phrases.join('; ')}${more}.`);
}

function canonicalizeUrl(hostnames: readonly string[]): Canonicalize {
  return (text) => {
    const url = canonicalUrl(text === '*' ? '/*' : text);
    if (!url || (url.hostname !== undefined && !hostnames.includes(url.hostname))) {
      return {
        fault: `must be an http or https URL on one of the property’s host names (${firstHostnames(hostnames)}), or a path starting with one slash`,
      };
    }
    return endsInWildcard(text) ? { fault: wildcardFault(url) } : { value: formatUrl(url) };
  };
}

function canonicalizePrefix(hostnames: readonly string[]): Canonicalize {
  const canonicalize = canonicalizeUrl(hostnames);
  return (text) => {
    const result = canonicalize(text);
    return 'value' in result && text.includes('?')
      ? { fault: 'must not hold a query: a prefix takes what lies under it with any query' }
      : result;
  };
}

function canonicalizeHostname(hostnames: readonly string[]): Canonicalize {
  return (text) => {
    const hostname = canonicalHostname(text);
    if (hostname !== undefined && hostnames.includes(hostname)) return { value: hostname };
    const inUrl = hostname === undefined ? hostnameInUrl(text) : undefined;
    return {
      fault:
        inUrl === undefined
          ? `must be one of the property’s host names (${firstHostnames(hostnames)})`
          : messages.hostnameNotUrl(inUrl),
    };
  };
}

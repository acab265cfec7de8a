import { ApiError } from '../ground/api-error.ts';
import { canonicalUrl, formatUrl } from '../property/canonical-url.ts';
import { canonicalHostname } from '../property/hostname.ts';
import type { PurgeRequest } from './purge.ts';

const maximumNamed = 5;

/** Brings one value into its canonical form, or says what is wrong with it. */
type Canonicalize = (value: string) => { readonly value: string } | { readonly fault: string };

const foreignUrl =
  'not an http or https URL on a host name of this property, and not a path starting with one slash';
const foreignHost = 'not on a host name of this property';

/** A tag travels in HTTP headers, where the edge's tag header separates tags by space and comma. */
const canonicalizeTag: Canonicalize = (tag) =>
  /^[!-+\--~]+$/.test(tag)
    ? { value: tag }
    : { fault: 'not a tag of printable ASCII characters without white space and comma' };

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
    'fault' in result ? [`${field}[${index}] is ${result.fault}`] : [],
  );
  if (faults.length === 0) {
    return [...new Set(results.flatMap((result) => ('value' in result ? [result.value] : [])))];
  }
  const more = faults.length > maximumNamed ? `; and ${faults.length - maximumNamed} more` : '';
  throw new ApiError('invalid', `Invalid request: ${faults.slice(0, maximumNamed).join('; ')}${more}.`);
}

function canonicalizeUrl(hostnames: readonly string[]): Canonicalize {
  return (text) => {
    const url = canonicalUrl(text);
    const isOwn = url && (url.hostname === undefined || hostnames.includes(url.hostname));
    return isOwn ? { value: formatUrl(url) } : { fault: foreignUrl };
  };
}

function canonicalizePrefix(hostnames: readonly string[]): Canonicalize {
  return (text) =>
    text.includes('?')
      ? { fault: 'not a prefix, because it holds a query' }
      : canonicalizeUrl(hostnames)(text);
}

function canonicalizeHostname(hostnames: readonly string[]): Canonicalize {
  return (text) => {
    const hostname = canonicalHostname(text);
    return hostname !== undefined && hostnames.includes(hostname)
      ? { value: hostname }
      : { fault: foreignHost };
  };
}

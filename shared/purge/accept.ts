import type { Caller } from '../auth/caller.ts';
import { canonicalUrl, formatUrl } from '../edge/canonical-url.ts';
import { ApiError } from '../http/api-error.ts';
import { newId } from '../id.ts';
import type { Property } from '../property/property.ts';
import type { AcceptedPurge, PurgeRequest } from './purge.ts';

const maximumNamed = 5;

/** @throws ApiError `invalid` naming the values at fault, so that nothing of the purge is queued */
const canonicalValues = (urls: readonly string[], hostnames: readonly string[]): string[] => {
  const parsed = urls.map((url) => canonicalUrl(url));
  const named = (indexes: readonly number[]): string =>
    indexes.slice(0, maximumNamed).map((index) => `urls[${index}]`).join(', ');
  const malformed = parsed.flatMap((url, index) => (url ? [] : [index]));
  if (malformed.length > 0) {
    throw new ApiError('invalid', `Not an http or https URL and not a path starting with a slash: ${named(malformed)}.`);
  }
  const foreign = parsed.flatMap((url, index) =>
    url?.hostname === undefined || hostnames.includes(url.hostname) ? [] : [index],
  );
  if (foreign.length > 0) {
    throw new ApiError('invalid', `Not on a host name of this property: ${named(foreign)}.`);
  }
  return [...new Set(parsed.flatMap((url) => (url ? [formatUrl(url)] : [])))];
};

const valuesOf = (request: PurgeRequest, property: Property): string[] => {
  switch (request.type) {
    case 'all':
      return [];
    case 'url':
      return canonicalValues(request.urls, property.hostnames);
  }
};

/** Applies the rules to a request: the whole purge in canonical form, or an error and nothing. */
export const acceptPurge = (
  request: PurgeRequest,
  property: Property,
  caller: Caller,
  now: Date,
): AcceptedPurge => {
  const values = valuesOf(request, property);
  return {
    id: newId(now),
    accountId: caller.accountId,
    propertyId: property.id,
    hostnames: property.hostnames,
    type: request.type,
    soft: request.soft,
    values,
    jobCount: request.type === 'all' ? 1 : values.length,
    requestedBy: { scheme: caller.scheme, id: caller.apiKeyId, prefix: caller.apiKeyPrefix },
    createdAt: now.toISOString(),
  };
};

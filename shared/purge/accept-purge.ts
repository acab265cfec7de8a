import { usedCredential } from '../auth/used-credential.ts';
import type { Caller } from '../ground/caller.ts';
import type { Operation } from '../http/endpoint.ts';
import type { Property } from '../property/property.ts';
import { canonicalValues } from './canonical-values.ts';
import type { AcceptedPurge, PurgeRequest } from './purge.ts';

/**
 * Applies the rules to a request: the whole purge in canonical form, or an error and nothing.
 * @throws ApiError `invalid`
 */
export function acceptPurge(
  request: PurgeRequest,
  property: Property,
  caller: Caller,
  operation: Operation,
): AcceptedPurge {
  const values = canonicalValues(request, property.hostnames);
  return {
    id: operation.id,
    accountId: caller.accountId,
    propertyId: property.id,
    hostnames: property.hostnames,
    type: request.type,
    soft: request.soft,
    values,
    jobCount: request.type === 'all' ? 1 : values.length,
    requestedBy: usedCredential(caller),
    createdAt: operation.startedAt.toISOString(),
  };
}

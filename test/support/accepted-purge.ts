import type { Demo } from '../../infra/local/demo/demo-file.ts';
import { newId } from '../../shared/ground/id.ts';
import type { AcceptedPurge } from '../../shared/purge/purge.ts';

type Owner = Pick<Demo, 'accountId' | 'propertyId' | 'hostname'>;

/** A purge of URLs as the API accepts it, without having gone through the API. */
export function acceptedPurge(
  { accountId, propertyId, hostname }: Owner,
  urls: readonly string[],
  createdAt = new Date(),
): AcceptedPurge {
  return {
    id: newId(createdAt),
    accountId,
    propertyId,
    hostnames: [hostname],
    type: 'url',
    soft: false,
    values: [...urls],
    jobCount: urls.length,
    requestedBy: { scheme: 'apiKey', id: newId(), prefix: 'svc_TEST' },
    createdAt: createdAt.toISOString(),
  };
}

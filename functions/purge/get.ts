import { ApiError } from '../../shared/http/api-error.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty } from '../../shared/property/property-table.ts';
import { Purge, toPurge } from '../../shared/purge/purge-record.ts';
import { getPurgeRecord, getPurgeValues } from '../../shared/purge/purge-table.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/purge/{purgeId}',
  access: 'account',
  summary: 'Read a purge and how far each edge has come with it',
  description:
    'Completed means that every edge has done it. Queued and running purges go on by themselves. Kept for 30 days.',
  data: Purge,
  touches: { tables: { properties: ['GetItem'], purges: ['GetItem'] } },
});

export const handler = serve(endpoint, async ({ caller, params: { propertyId, purgeId } }) => {
  const now = new Date();
  const [, record, values] = await Promise.all([
    getProperty(caller.accountId, propertyId),
    getPurgeRecord(propertyId, purgeId, now),
    getPurgeValues(propertyId, purgeId),
  ]);
  if (!record) throw new ApiError('notFound', 'Purge not found.');
  return toPurge(record, values, now);
});

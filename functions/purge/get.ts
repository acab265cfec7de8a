import { ApiError } from '../../shared/http/api-error.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty } from '../../shared/property/property-table.ts';
import { getContent } from '../../shared/purge/purge-content-table.ts';
import { Purge } from '../../shared/purge/purge-record.ts';
import { isOverdue, toPurge } from '../../shared/purge/purge-status.ts';
import { getPurgeRecord } from '../../shared/purge/purge-table.ts';
import { getQueueEmptyAt } from '../../shared/purge/queue-state-table.ts';

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
  const [, record, content] = await Promise.all([
    getProperty(caller.accountId, propertyId),
    getPurgeRecord(propertyId, purgeId, now),
    getContent({ propertyId, id: purgeId }),
  ]);
  if (!record) throw new ApiError('notFound', 'Purge not found.');
  const queueEmptyAt = isOverdue(record, now) ? await getQueueEmptyAt() : undefined;
  return toPurge(record, content?.values ?? [], { now, queueEmptyAt });
});

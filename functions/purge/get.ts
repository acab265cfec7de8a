import { notFound } from '../../shared/ground/api-error.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';
import { Purge } from '../../shared/purge/purge-record.ts';
import { readWholePurge, readWholePurgeTouches } from '../../shared/purge/read-purge.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/purge/{purgeId}',
  access: 'account',
  summary: 'Read a purge and how far each edge has come with it',
  description:
    'Completed means that every edge has done it. Queued and running purges go on by themselves. Kept for 30 days.',
  data: Purge,
  touches: touching(getPropertyTouches, readWholePurgeTouches),
});

export const handler = serve(endpoint, async ({ caller, params: { propertyId, purgeId } }) => {
  const [, purge] = await Promise.all([
    getProperty(caller.accountId, propertyId),
    readWholePurge({ propertyId, id: purgeId }, new Date()),
  ]);
  if (!purge) throw notFound('Purge');
  return purge;
});

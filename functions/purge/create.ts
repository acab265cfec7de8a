import * as z from 'zod';
import { listEdgeKinds } from '../../shared/edge/edge-kinds-table.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty } from '../../shared/property/property-table.ts';
import { acceptPurge } from '../../shared/purge/accept.ts';
import { checkPossible } from '../../shared/purge/possible.ts';
import { PurgeRequest } from '../../shared/purge/purge.ts';
import { queuePurge } from '../../shared/purge/queue-purge.ts';

const QueuedPurge = z
  .object({
    jobCount: z
      .int()
      .describe('Number of purge jobs queued: one for all, else one for each different value.'),
    purgeId: z.string().describe('Under which the purge’s progress can be read.'),
  })
  .meta({ id: 'QueuedPurge', description: 'A purge that was accepted.' })
  .register(examples, { queued: { jobCount: 2, purgeId: exampleIds.purge } });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/property/{propertyId}/purge',
  access: 'account',
  summary: 'Purge cached content of a property',
  body: PurgeRequest,
  description:
    'The answer means that the purge is queued, not that it is done: read the purge to see how far each edge is. Where one value is not the property’s own, or one of the edges cannot do such a purge (nginx knows no tags, say), nothing at all is queued. What makes more than 10,000 pairs of value and host name is done as a purge of the whole property, and shown as coveredBy all.',
  data: QueuedPurge,
  touches: {
    tables: {
      properties: ['GetItem'],
      edges: ['Query'],
      purges: ['PutItem', 'UpdateItem', 'DeleteItem'],
    },
    queues: { purge: ['SendMessage'] },
  },
});

export const handler = serve(endpoint, async ({ caller, params, body, work }) => {
  const [property, edges] = await Promise.all([
    getProperty(caller.accountId, params.propertyId),
    listEdgeKinds(),
  ]);
  checkPossible(body, edges);
  const purge = acceptPurge(body, property, caller, work);
  await queuePurge(purge);
  return { jobCount: purge.jobCount, purgeId: purge.id };
});

import * as z from 'zod';
import { listEdgeKinds, listEdgeKindsTouches } from '../../shared/edge/edge-kinds.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';
import { acceptPurge } from '../../shared/purge/accept-purge.ts';
import { checkCapabilities } from '../../shared/purge/capability-check.ts';
import { enqueue, enqueueTouches } from '../../shared/purge/enqueue.ts';
import { PurgeRequest } from '../../shared/purge/purge.ts';
import { exampleEdges, Purge } from '../../shared/purge/purge-record.ts';
import { waitForPurge, waitForPurgeTouches } from '../../shared/purge/wait-for-purge.ts';

const QueuedPurge = z
  .object({
    jobCount: z
      .int()
      .describe('Number of purge jobs queued: one for all, else one for each different value.'),
    purgeId: z.string().describe('Under which the purge’s progress can be read.'),
    status: Purge.shape.status.optional().describe('Where the purge stands, when wait was given.'),
    edges: Purge.shape.edges.optional().describe('How far each edge is, when wait was given.'),
  })
  .meta({ id: 'QueuedPurge', description: 'A purge that was accepted.' })
  .register(examples, {
    queued: { jobCount: 2, purgeId: exampleIds.purge },
    waited: {
      jobCount: 1,
      purgeId: exampleIds.purge,
      status: 'completed',
      edges: exampleEdges,
    },
  });

const longestWaitSeconds = 10;
const secondsNeeded = `must be a whole number of seconds from 0 to ${longestWaitSeconds}`;

const WaitQuery = z.strictObject({
  wait: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, secondsNeeded)
    .transform(Number)
    .pipe(z.int(secondsNeeded).min(0).max(longestWaitSeconds, secondsNeeded))
    .optional()
    .describe(
      `Seconds, 0 to ${longestWaitSeconds}. The response comes when the purge is completed or failed, at the latest after this time, and tells its status and edges. It is 200 in any case.`,
    ),
});

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/property/{propertyId}/purge',
  access: 'account',
  summary: 'Purge cached content of a property',
  query: WaitQuery,
  unkeyedQuery: ['wait'],
  body: PurgeRequest,
  description:
    'The response means that the purge is queued, not that it is done: read the purge to see how far each edge is, or wait for it. Where one value is not the property’s own, or one of the edges cannot do such a purge (CloudFront knows no tags, say), nothing at all is queued. What makes more than 10,000 pairs of value and host name is done as a purge of the whole property, and shown as coveredBy all.',
  data: QueuedPurge,
  touches: touching(getPropertyTouches, listEdgeKindsTouches, enqueueTouches, waitForPurgeTouches),
});

export const handler = serve(
  endpoint,
  async ({ caller, params: { propertyId }, body, operation }) => {
    const { accountId } = caller;
    const [property, edges] = await Promise.all([
      getProperty(accountId, propertyId),
      listEdgeKinds({ accountId, propertyId }),
    ]);
    checkCapabilities(body, edges);
    const purge = acceptPurge(body, property, caller, operation);
    await enqueue(purge);
    return { jobCount: purge.jobCount, purgeId: purge.id };
  },
  async ({ params: { propertyId }, query: { wait } }, { jobCount, purgeId }) => {
    if (wait === undefined) return { jobCount, purgeId };
    return { jobCount, purgeId, ...(await waitForPurge({ propertyId, id: purgeId }, wait)) };
  },
);

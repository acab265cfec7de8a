import * as z from 'zod';
import { authenticateConfigured, authenticateConfiguredTouches } from '../../shared/edge/configured-edge.ts';
import { AppliedList } from '../../shared/edge-config/applied.ts';
import { readConfig, readConfigTouches } from '../../shared/edge-config/read-config.ts';
import { messages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { exampleIds, examples } from '../../shared/http/examples.ts';
import { headerValues } from '../../shared/http/headers.ts';
import { serve } from '../../shared/http/serve.ts';

const keyKinds = ['h', 'u', 'p', 't', 'r'] as const;

const AcceptedKeys = z
  .string()
  .regex(
    new RegExp(`^[${keyKinds.join('')}](?:,[${keyKinds.join('')}]){0,${keyKinds.length - 1}}$`),
    `must be some of ${keyKinds.join(', ')}, separated by commas`,
  )
  .meta({ example: keyKinds.join(',') });

const Query = z.strictObject({
  cursor: z
    .string()
    .max(1_000, 'must be the cursor of an earlier response')
    .optional()
    .describe(
      'Where the last page ended. Without one, or with one that is not usable any more, all begins anew.',
    ),
  keys: AcceptedKeys.describe('Kinds of purge key that the edge accepts, comma-separated.'),
  applied: AppliedList.optional().describe(
    'What the edge has done with the versions that it was given, at most 100 entries: PROPERTY_ID:VERSION, followed by :unreadable where it was refused and the one before stays, or by :unsaved where it is applied but not kept on disk. Sent, empty too, with the first poll after the cursor has moved, until a response comes.',
  ),
});

const EdgeConfig = z
  .object({
    changes: z
      .array(
        z.object({
          propertyId: z.string().describe('Id of the property.'),
          version: z.int().describe('Version of its configuration.'),
          document: z
            .record(z.string(), z.unknown())
            .nullable()
            .describe('All that the edge needs of the property; null once it is deleted.'),
        }),
      )
      .describe('Properties in the edge’s scope that have changed.'),
    cursor: z.string().describe('To be sent with the next poll.'),
    isMore: z.boolean().describe('Whether the next page can be asked for at once.'),
    isWhole: z
      .boolean()
      .describe(
        'Whether these pages go through everything: at their end what none of them has named is dropped.',
      ),
    isFirst: z
      .boolean()
      .describe('Whether everything begins with this page: what earlier pages have named counts no more.'),
  })
  .meta({ id: 'EdgeConfig', description: 'What has changed in the configuration of an edge.' })
  .register(examples, {
    deleted: {
      changes: [{ propertyId: exampleIds.property, version: 8, document: null }],
      cursor: '1.pS7v0Zq3mXc1aB9d.g2k.c.0-0-4',
      isMore: false,
      isWhole: false,
      isFirst: false,
    },
  });

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/edge/config',
  access: 'public',
  summary: 'Read what has changed in an edge’s configuration',
  description:
    'For edges only: documents of the properties in the edge’s scope, at most 100 at a time. The edge counts as configured from its first poll on. Poll every 30 to 60 seconds, and at once after a notification.',
  failures: {
    unauthenticated: {
      description: 'X-Edge-Token is missing, is not known, or its edge was removed.',
      message: messages.edgeTokenUnknown,
    },
  },
  headers: [
    { name: 'X-Edge-Token', required: true, description: 'The edge’s token, which the operator made.' },
  ],
  query: Query,
  data: EdgeConfig,
  touches: touching(authenticateConfiguredTouches, readConfigTouches),
});

export const handler = serve(endpoint, async ({ headers, query: { keys, ...poll } }) => {
  const edge = await authenticateConfigured(headerValues(headers, 'x-edge-token'), inOrder(keys));
  return readConfig(edge, poll);
});

/** The same text for the same kinds. */
function inOrder(keys: string): string {
  const kinds = keys.split(',');
  return keyKinds.filter((kind) => kinds.includes(kind)).join(',');
}

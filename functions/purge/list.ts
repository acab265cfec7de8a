import * as z from 'zod';
import { PurgeType } from '../../shared/ground/purge-type.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { PageQuery } from '../../shared/http/page.ts';
import { serve } from '../../shared/http/serve.ts';
import { oneOf } from '../../shared/http/text.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';
import { listPurges, listPurgesTouches } from '../../shared/purge/purge-history.ts';
import { PurgeStatus, PurgeSummary } from '../../shared/purge/purge-record.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/purge',
  access: 'account',
  summary: 'List a property’s purges of the last 30 days, newest first',
  description:
    'Without the values and the progress of each edge. totalRecords counts up to 10,000 and then says 10,000, with a filter or without.',
  query: PageQuery.extend({
    status: z
      .enum(PurgeStatus.options, oneOf(PurgeStatus.options))
      .optional()
      .describe('Only purges that stand so.'),
    type: z
      .enum(PurgeType.options, oneOf(PurgeType.options))
      .optional()
      .describe('Only purges of this type.'),
  }),
  data: PurgeSummary,
  list: true,
  touches: touching(getPropertyTouches, listPurgesTouches),
});

export const handler = serve(endpoint, async ({ caller, params, query }) => {
  const property = await getProperty(caller.accountId, params.propertyId);
  return listPurges(property.id, query, new Date());
});

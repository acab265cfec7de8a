import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { getProperty, getPropertyTouches } from '../../shared/property/property-table.ts';
import { propertyStatistics } from '../../shared/statistics/read-statistics.ts';
import { readStatisticsTouches } from '../../shared/statistics/rollup-table.ts';
import { Statistics, StatisticsQuery } from '../../shared/statistics/statistics.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/property/{propertyId}/statistics',
  access: 'account',
  summary: 'Read the statistics of a property',
  description:
    'A request counts in the bucket of its own time, even where its edge sends it late. A time range over 2,000 points is 400; what is no longer kept shows as zeros.',
  query: StatisticsQuery,
  data: Statistics,
  touches: touching(getPropertyTouches, readStatisticsTouches),
});

export const handler = serve(endpoint, async ({ caller, params, query, operation }) => {
  const property = await getProperty(caller.accountId, params.propertyId);
  return propertyStatistics(property.id, query, operation.startedAt);
});

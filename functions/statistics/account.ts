import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { serve } from '../../shared/http/serve.ts';
import { accountStatistics } from '../../shared/statistics/read-statistics.ts';
import { readStatisticsTouches } from '../../shared/statistics/rollup-table.ts';
import { Statistics, StatisticsQuery } from '../../shared/statistics/statistics.ts';

export const endpoint = declareEndpoint({
  method: 'GET',
  path: '/api/statistics',
  access: 'account',
  summary: 'Read the statistics of the whole account',
  description:
    'Of all its properties, deleted ones included. A request counts in the bucket of its own time, even where its edge sends it late. A time range over 2,000 points is 400; what is no longer kept shows as zeros.',
  query: StatisticsQuery,
  data: Statistics,
  touches: readStatisticsTouches,
});

export const handler = serve(endpoint, ({ caller, query, operation }) =>
  accountStatistics(caller.accountId, query, operation.startedAt),
);

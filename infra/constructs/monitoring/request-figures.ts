import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { TableName } from '../../../shared/ground/resources.ts';
import type { Tables } from '../tables.ts';
import { countedByMinute, type Figure, lasting } from './figure.ts';

/** Those whose writes grow with the traffic: one property, key or edge may need more than a partition takes. */
const busiestTables = [
  'apiKeys',
  'purges',
  'purgeContents',
  'purgeCounts',
  'statistics',
] as const satisfies readonly TableName[];

const perRequest = { threshold: 1, periods: lasting } as const;

/** Whether requests are refused for no fault of their own. */
export function requestFigures(
  restApi: RestApi,
  authorizer: LambdaFunction,
  tables: Tables,
): readonly Figure[] {
  return [
    {
      name: 'server-errors',
      graph: 'Responses with 5xx',
      metric: restApi.metricServerError(countedByMinute),
      ...perRequest,
      meaning:
        'The API keeps responding with 5xx. The logs of the functions say why, under the X-Request-Id of each response.',
      command: 'doctor',
    },
    {
      name: 'authorizer-errors',
      graph: 'Errors of the authorizer',
      metric: authorizer.metricErrors(countedByMinute),
      ...perRequest,
      meaning: 'Credentials cannot be checked, and requests get 503. The log of the authorizer says why.',
      command: 'doctor',
    },
    {
      name: 'function-throttles',
      graph: 'Throttled calls of functions',
      metric: LambdaFunction.metricAllThrottles(countedByMinute),
      ...perRequest,
      meaning:
        'Lambda refuses calls: the concurrency of the account, or of the option loginConcurrency, is used up. Requests get 503, and purges wait.',
      command: 'doctor',
    },
    {
      name: 'table-throttles',
      graph: 'Throttled writes',
      metric: throttledWrites(tables),
      ...perRequest,
      meaning:
        'DynamoDB refuses writes: of one property, key or edge come more than a partition takes. Requests get 503, and purges wait.',
      command: 'purge list',
    },
  ];
}

function throttledWrites(tables: Tables): IMetric {
  const throttled = busiestTables.map((name) => [
    name,
    tables.get(name).metric('WriteThrottleEvents', countedByMinute),
  ]);
  return new MathExpression({
    // A table without throttled writes reports nothing, which would make the sum nothing.
    expression: 'SUM(FILL(METRICS(), 0))',
    usingMetrics: Object.fromEntries(throttled),
    label: 'WriteThrottleEvents',
    period: countedByMinute.period,
  });
}

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat, LogGroupLogDestination, type StageOptions } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Options } from '../definition/options.ts';
import { acknowledge } from './acknowledge.ts';

/**
 * A line for each request, those too that reach no function. No query, header or body, since they may hold what nobody
 * should see. The ids of the calls are those under which the functions' own lines are found.
 */
const fields = {
  time: '$context.requestTimeEpoch',
  requestId: '$context.requestId',
  extendedRequestId: '$context.extendedRequestId',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  bytes: '$context.responseLength',
  milliseconds: '$context.responseLatency',
  accountId: '$context.authorizer.accountId',
  error: { type: '$context.error.responseType', message: '$context.error.message' },
  authorizer: {
    requestId: '$context.authorizer.requestId',
    status: '$context.authorizer.status',
    milliseconds: '$context.authorizer.latency',
    error: '$context.authorizer.error',
  },
  integration: {
    requestId: '$context.integration.requestId',
    status: '$context.integration.status',
    milliseconds: '$context.integration.latency',
    error: '$context.integration.error',
  },
} as const;

/** What a stage needs for its access log; nothing where the deployment wants none. */
export function accessLog(scope: Construct, { accessLogDays }: Options): StageOptions {
  if (accessLogDays === undefined) {
    acknowledge(scope, 'APIG1', 'The access log is an option, since it needs a role of the whole account.');
    return {};
  }
  const logGroup = new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/apigateway/${Stack.of(scope).stackName}-access`,
    retention: accessLogDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
  };
}

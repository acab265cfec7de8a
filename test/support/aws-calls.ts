import type { IncomingMessage } from 'node:http';
import type { LocalEndpoints } from '../../infra/environment.ts';
import { awsAccountId, region } from '../../infra/local/template/template.ts';

/** One call that a function made of an AWS service. */
export interface AwsCall {
  /** Physical name of the function. */
  readonly functionName: string;
  /** As IAM names it: `dynamodb:GetItem`. */
  readonly operation: string;
  /** The table, where it is about one. */
  readonly table: string | undefined;
  readonly requestBytes: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

type Body = Readonly<Record<string, unknown>>;

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${region}:${awsAccountId}:${resource}`;
}

function tableArn(name: unknown): string {
  return arn('dynamodb', `table/${String(name)}`);
}

const transactionActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

function transactionGrants({ TransactItems }: Body): string[] {
  return (TransactItems as Record<string, Body>[]).flatMap((item) =>
    Object.entries(item).map(
      ([kind, part]) => `dynamodb:${transactionActions[kind]} ${tableArn(part.TableName)}`,
    ),
  );
}

function batchGrants(action: string, { RequestItems }: Body): string[] {
  return Object.keys(RequestItems as Body).map((name) => `dynamodb:${action} ${tableArn(name)}`);
}

function dynamodbGrants(action: string, body: Body): string[] {
  if (action === 'TransactWriteItems') return transactionGrants(body);
  if (action.startsWith('Batch')) return batchGrants(action, body);
  return [`dynamodb:${action} ${tableArn(body.TableName)}`];
}

const services: Readonly<Record<string, 'dynamodb' | 'sqs' | 'kms' | 'secretsManager'>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  TrentService: 'kms',
  secretsmanager: 'secretsManager',
};

/** What a request asks of which service. */
export interface AwsRequest {
  readonly service: keyof LocalEndpoints;
  readonly action: string;
  readonly body: Body;
}

const invalidationPath = /^\/2020-05-31\/distribution\/([^/]+)\/invalidation(\/)?/;

function invalidationAction(method: string | undefined, hasId: boolean): string {
  if (method === 'POST') return 'CreateInvalidation';
  return hasId ? 'GetInvalidation' : 'ListInvalidations';
}

export function readRequest({ method, url = '', headers }: IncomingMessage, text: string): AwsRequest {
  const [invalidation, DistributionId, slash] = invalidationPath.exec(url) ?? [];
  if (invalidation !== undefined) {
    const action = invalidationAction(method, slash !== undefined);
    return { service: 'cloudfront', action, body: { DistributionId } };
  }
  const [target = '', name = ''] = String(headers['x-amz-target'] ?? '').split('.');
  const service = services[target] ?? 'lambda';
  return { service, action: service === 'lambda' ? (url.split('/')[3] ?? '') : name, body: JSON.parse(text) };
}

/** `action resource` of everything that IAM would ask a role for before it lets the call through. */
export function neededGrants({ service, action, body }: AwsRequest): readonly string[] {
  switch (service) {
    case 'dynamodb':
      return dynamodbGrants(action, body);
    case 'sqs':
      return [`sqs:${action} ${arn('sqs', String(body.QueueUrl).split('/').at(-1) ?? '')}`];
    case 'kms':
      return [`kms:${action} ${String(body.KeyId)}`];
    case 'secretsManager':
      return [`secretsmanager:${action} ${String(body.SecretId)}`];
    case 'cloudfront':
      return [
        `cloudfront:${action} arn:aws:cloudfront::${awsAccountId}:distribution/${String(body.DistributionId)}`,
      ];
    case 'lambda':
      return [`lambda:InvokeFunction ${arn('lambda', `function:${action}`)}`];
  }
}

/** How many calls had to wait for one another: the longest chain in which each began after the last ended. */
export function sequentialDepth(calls: readonly AwsCall[]): number {
  let depth = 0;
  let chainEnd = Number.NEGATIVE_INFINITY;
  for (const { startedAt, endedAt } of [...calls].sort((a, b) => a.endedAt - b.endedAt)) {
    if (startedAt < chainEnd) continue;
    depth += 1;
    chainEnd = endedAt;
  }
  return depth;
}

import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { functionSources, routes } from '../../infra/definition/functions.ts';
import {
  physicalKeyAlias,
  physicalQueueName,
  physicalSecretName,
  physicalTableName,
} from '../../infra/definition/physical-names.ts';
import { parse } from '../../infra/operator/command-line.ts';
import {
  type EncryptionKeyName,
  type QueueName,
  queues,
  type SecretName,
  type TableName,
  type Touches,
} from '../../shared/ground/resources.ts';
import { matcherOf } from '../support/filter-pattern.ts';
import { grantsByFunction } from '../support/grants.ts';
import { templateResources } from '../support/template-file.ts';
import statefulIds from './stateful-ids.json' with { type: 'json' };

const stack = 'CdnManagement';

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:us-east-1:000000000000:${resource}`;
}

function pairs<Name extends string>(
  declared: Partial<Record<Name, readonly string[]>> | undefined,
  grant: (name: Name, action: string) => string,
): string[] {
  return (Object.entries(declared ?? {}) as [Name, readonly string[]][]).flatMap(([name, actions]) =>
    actions.map((action) => grant(name, action)),
  );
}

function ofType(type: string) {
  return Object.entries(templateResources()).filter(([, resource]) => resource.Type === type);
}

/** The local run's id of a key is its logical id, which its alias points to. */
function keyIdOf(name: EncryptionKeyName): string {
  const alias = ofType('AWS::KMS::Alias').find(
    ([, { Properties }]) => Properties?.AliasName === physicalKeyAlias(stack, name),
  );
  const { 'Fn::GetAtt': target } = (alias?.[1].Properties?.TargetKeyId ?? {}) as { 'Fn::GetAtt'?: string[] };
  return target?.[0] ?? 'no such key';
}

function declaredGrants({ tables, queues, keys, secrets }: Touches): string[] {
  return [
    ...pairs<TableName>(
      tables,
      (name, action) => `dynamodb:${action} ${arn('dynamodb', `table/${physicalTableName(stack, name)}`)}`,
    ),
    ...pairs<QueueName>(
      queues,
      (name, action) => `sqs:${action} ${arn('sqs', physicalQueueName(stack, name))}`,
    ),
    ...pairs<EncryptionKeyName>(
      keys,
      (name, action) => `kms:${action} ${arn('kms', `key/${keyIdOf(name)}`)}`,
    ),
    ...pairs<SecretName>(
      secrets,
      (name, action) =>
        `secretsmanager:${action} ${arn('secretsmanager', `secret:${physicalSecretName(stack, name)}`)}`,
    ),
  ];
}

test.each(functionSources)(
  'the role of $name allows what its declaration says and nothing else',
  (source) => {
    const { name, declaration } = source;
    const logGroup = arn('logs', `log-group:/aws/lambda/${stack}-${name}`);
    const queue = declaration.consumes && arn('sqs', physicalQueueName(stack, declaration.consumes));
    const expected = [
      ...['logs:CreateLogStream', 'logs:PutLogEvents'].map((action) => `${action} ${logGroup}`),
      ...declaredGrants(declaration.touches),
      ...(queue
        ? ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => `sqs:${action} ${queue}`)
        : []),
      ...(declaration.invokesEndpoints
        ? routes.map(
            ({ functionName }) =>
              `lambda:InvokeFunction ${arn('lambda', `function:${stack}-${functionName}`)}`,
          )
        : []),
    ];
    expect([...(grantsByFunction(inject('assembly')).get(`${stack}-${name}`) ?? [])].sort()).toEqual(
      expected.sort(),
    );
  },
);

test('a role holds its grants itself: no other policy widens it', () => {
  expect(ofType('AWS::IAM::Policy')).toEqual([]);
  expect(ofType('AWS::IAM::ManagedPolicy')).toEqual([]);
  for (const [, { Properties }] of ofType('AWS::IAM::Role'))
    expect(Properties?.ManagedPolicyArns).toBeUndefined();
});

test('one Lambda per endpoint, each with a stable logical id and a test event', () => {
  const ids = ofType('AWS::Lambda::Function').map(([id]) => id);
  const pascal = (name: string) =>
    name.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
  expect(ids.sort()).toEqual(functionSources.map(({ name }) => `${pascal(name)}Function`).sort());
  for (const { name } of functionSources) {
    expect(() => JSON.parse(readFileSync(`test/events/${name}.json`, 'utf8'))).not.toThrow();
  }
});

test('every function runs on arm64 and Node 24, the version that the project itself runs on', () => {
  for (const [, { Properties }] of ofType('AWS::Lambda::Function')) {
    expect([Properties?.Runtime, Properties?.Architectures]).toEqual(['nodejs24.x', ['arm64']]);
  }
  expect(process.versions.node.split('.')[0]).toBe('24');
});

test('every method is authorized unless its endpoint is public or it is the fallback', () => {
  const open = ofType('AWS::ApiGateway::Method').filter(
    ([, { Properties }]) => Properties?.AuthorizationType !== 'CUSTOM',
  );
  const spellings = routes
    .filter(({ access }) => access === 'public')
    .map(({ functionName, path }) => [functionName, new Set([path, path.toLowerCase()]).size] as const);
  expect(open).toHaveLength(spellings.reduce((sum, [, count]) => sum + count, 2));
  for (const [name, count] of [['fallback', 2] as const, ...spellings]) {
    const id = `${name.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Function`;
    const methods = open.filter(([, { Properties }]) =>
      JSON.stringify(Properties?.Integration).includes(`"${id}"`),
    );
    expect([name, methods.length]).toEqual([name, count]);
  }
  const [, authorizer] = ofType('AWS::ApiGateway::Authorizer')[0] ?? [];
  expect(authorizer?.Properties).toMatchObject({ Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0 });
});

test('no endpoint is a literal beside a parameter with the same method', () => {
  const parts = (path: string) => path.toLowerCase().split('/');
  for (const a of routes) {
    for (const b of routes) {
      if (a === b || a.method !== b.method || parts(a.path).length !== parts(b.path).length) continue;
      const clash = parts(a.path).every((part, index) => {
        const other = parts(b.path)[index] ?? '';
        return part === other || part.startsWith('{') || other.startsWith('{');
      });
      expect([a.path, b.path, clash]).toEqual([a.path, b.path, false]);
    }
  }
});

const gatewayResponseTypes = [
  ...['ACCESS_DENIED', 'API_CONFIGURATION_ERROR', 'AUTHORIZER_CONFIGURATION_ERROR', 'AUTHORIZER_FAILURE'],
  ...['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'DEFAULT_4XX', 'DEFAULT_5XX', 'EXPIRED_TOKEN'],
  ...['INTEGRATION_FAILURE', 'INTEGRATION_TIMEOUT', 'INVALID_API_KEY', 'INVALID_SIGNATURE'],
  ...[
    'MISSING_AUTHENTICATION_TOKEN',
    'QUOTA_EXCEEDED',
    'REQUEST_TOO_LARGE',
    'RESOURCE_NOT_FOUND',
    'THROTTLED',
  ],
  ...['UNAUTHORIZED', 'UNSUPPORTED_MEDIA_TYPE', 'WAF_FILTERED'],
];

test('each type of response that the gateway makes itself keeps the envelope and carries the request id', () => {
  const responses = ofType('AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties ?? {});
  expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual(gatewayResponseTypes);
  for (const { ResponseTemplates, ResponseParameters } of responses) {
    const template = (ResponseTemplates as Record<string, string>)['application/json'] ?? '';
    expect(template).toMatch(/^[\x20-\x7e]*$/);
    expect(Object.keys(JSON.parse(template))).toEqual([
      'succeeded',
      'message',
      'data',
      'pageNumber',
      'pageSize',
      'totalPages',
      'totalRecords',
    ]);
    expect(ResponseParameters).toMatchObject({ 'gatewayresponse.header.X-Request-Id': 'context.requestId' });
  }
});

test.each([
  ['DEFAULT_4XX', 'The request cannot be read. Check its headers, query and body.'],
  ['REQUEST_TOO_LARGE', 'The body is too large. Split it over several requests.'],
  ['QUOTA_EXCEEDED', "The gateway's own request quota is used up. Retry in a few seconds."],
  ['WAF_FILTERED', "The request was refused by the operator's firewall."],
])('the gateway’s own %s says: %s', (type, message) => {
  const templates = ofType('AWS::ApiGateway::GatewayResponse')
    .filter(([, { Properties }]) => Properties?.ResponseType === type)
    .map(([, { Properties }]) => Properties?.ResponseTemplates as Record<string, string>);
  expect(templates.map((each) => JSON.parse(each['application/json'] ?? '').message)).toEqual([message]);
});

test.each(Object.keys(queues) as QueueName[])(
  'the queue %s waits long enough and keeps what failed',
  (name) => {
    const physicalName = physicalQueueName(stack, name);
    const [queue, deadLetters] = [physicalName, `${physicalName}-dead-letter`].map(
      (each) =>
        ofType('AWS::SQS::Queue').find(([, { Properties }]) => Properties?.QueueName === each)?.[1]
          .Properties,
    );
    const consumer = functionSources.find(({ declaration }) => declaration.consumes === name);
    expect(Number(queue?.VisibilityTimeout)).toBeGreaterThanOrEqual(
      6 * (consumer?.declaration.timeoutSeconds ?? 0),
    );
    expect(queue?.RedrivePolicy).toMatchObject({ maxReceiveCount: queues[name].maxReceiveCount });
    expect(queues[name].maxReceiveCount).toBeGreaterThanOrEqual(5);
    expect(deadLetters?.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  },
);

test('whoever feeds the queue that it consumes may do so without end, and nobody else', () => {
  const feeding = functionSources.filter(
    ({ declaration: { consumes, touches } }) =>
      consumes && touches.queues?.[consumes]?.some((action) => action === 'SendMessage'),
  );
  const allowed = ofType('AWS::Lambda::Function').filter(([, { Properties }]) => Properties?.RecursiveLoop);
  expect(feeding.map(({ name }) => `${stack}-${name}`).sort()).toEqual(
    allowed.map(([, { Properties }]) => Properties?.FunctionName).sort(),
  );
  expect(feeding.length).toBeGreaterThan(0);
});

/** A resource under another logical id would be made anew, without what it holds. A new one is added to the file. */
test.each(Object.entries(statefulIds))('every %s has the logical id that it always had', (type, ids) => {
  expect(ofType(type).map(([id]) => id)).toEqual(expect.arrayContaining(ids));
  expect(ids).toEqual(expect.arrayContaining(ofType(type).map(([id]) => id)));
});

test.each(['AWS::DynamoDB::GlobalTable', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret'])(
  'every %s outlives the stack, but not a first deployment that is rolled back',
  (type) => {
    for (const [id, resource] of ofType(type))
      expect([id, resource.DeletionPolicy, resource.UpdateReplacePolicy]).toEqual([
        id,
        'RetainExceptOnCreate',
        'Retain',
      ]);
  },
);

test('every function logs JSON, without the lines of its own that are paid for', () => {
  for (const [, { Properties }] of ofType('AWS::Lambda::Function'))
    expect(Properties?.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
});

test('the stack stays well below CloudFormation’s 500 resources', () => {
  expect(Object.keys(templateResources()).length).toBeLessThan(400);
});

test('every body reaches the functions as the bytes that were sent', () => {
  const [, api] = ofType('AWS::ApiGateway::RestApi')[0] ?? [];
  expect(api?.Properties).toMatchObject({
    BinaryMediaTypes: ['*/*'],
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
});

const alarms = ofType('AWS::CloudWatch::Alarm').map(
  ([id, { Properties }]) => [id, Properties ?? {}] as const,
);

test('every alarm says in plain text what it means, and which command to run, which there is', () => {
  for (const [id, { AlarmName, AlarmDescription }] of alarms) {
    const [, meaning = '', command = ''] =
      /^(.+\.) Run: npm run -s operator -- (.+)$/.exec(String(AlarmDescription)) ?? [];
    expect([id, meaning]).toEqual([id, expect.stringMatching(/^[A-Z][ -~]{20,}$/)]);
    expect([id, parse(command.split(' ')).flags]).toEqual([id, { stack }]);
    expect(AlarmName).toMatch(/^CdnManagement-[a-z-]+$/);
  }
});

test('what a single request may meet must last to wake anybody', () => {
  const passing = alarms.filter(([, { MetricName, Metrics }]) =>
    /5XXError|Errors|Throttle/.test(String(MetricName ?? JSON.stringify(Metrics))),
  );
  const lasting = passing.map(([id, alarm]) => [id, alarm.DatapointsToAlarm, alarm.EvaluationPeriods]);
  expect(lasting).toEqual(passing.map(([id]) => [id, 3, 5]));
  expect(passing.map(([, { AlarmName }]) => AlarmName)).toEqual(
    ['schedule-failures', 'server-errors', 'authorizer-errors', 'function-throttles', 'table-throttles'].map(
      (name) => `${stack}-${name}`,
    ),
  );
});

test('there is an alarm for the age of every queue, and for every dead letter', () => {
  const queueIds = ofType('AWS::SQS::Queue').map(([id]) => id);
  const watched = alarms.flatMap(([, { Dimensions }]) =>
    queueIds.filter((id) => JSON.stringify(Dimensions ?? []).includes(`"${id}"`)),
  );
  expect(watched.sort()).toEqual(queueIds.sort());
});

test('the schedule is missed where it is not called at all', () => {
  const [, schedule] = alarms.find(([, { AlarmName }]) => AlarmName === `${stack}-schedule-failures`) ?? [];
  expect(schedule).toMatchObject({ TreatMissingData: 'breaching', MetricName: 'Errors' });
});

test('each metric filter reads the log of the function that writes its lines, by a pattern that tests can apply', () => {
  const filters = ofType('AWS::Logs::MetricFilter').map(([, { Properties }]) => Properties ?? {});
  const logs = filters.map(({ LogGroupName }) => templateResources()[(LogGroupName as { Ref: string }).Ref]);
  expect(logs.map((log) => log?.Properties?.LogGroupName)).toEqual(
    ['catch-up-schedule', 'catch-up-schedule', 'invalidation-consumer'].map(
      (name) => `/aws/lambda/${stack}-${name}`,
    ),
  );
  for (const { FilterPattern } of filters) expect(() => matcherOf(String(FilterPattern))).not.toThrow();
  for (const pattern of [
    '{ $.a != "b" }',
    '{ $.a = "b*" }',
    '{ $.a = 1 }',
    '{ $.a = "b" || $.c = "d" }',
    'a',
  ])
    expect(() => matcherOf(pattern)).toThrow('No test knows');
});

test('the dashboard shows whatever an alarm watches, with its threshold', () => {
  const [[, dashboard] = []] = ofType('AWS::CloudWatch::Dashboard');
  const { 'Fn::Join': [, parts] = ['', []] } = (dashboard?.Properties?.DashboardBody ?? {}) as {
    'Fn::Join'?: [string, unknown[]];
  };
  const body = parts.map((part) => (typeof part === 'string' ? part : 'token')).join('');
  expect(body).toContain('"stat":"p99"');
  const shown: { properties: { metrics: unknown; annotations: unknown } }[] = JSON.parse(body).widgets;
  for (const [id, { MetricName, Threshold }] of alarms) {
    const name = `"${MetricName ?? 'WriteThrottleEvents'}"`;
    const graphs = shown.filter(({ properties }) => JSON.stringify(properties.metrics).includes(name));
    const thresholds = JSON.stringify(graphs.map(({ properties }) => properties.annotations));
    expect([id, thresholds]).toEqual([id, expect.stringContaining(`"value":${Threshold},`)]);
  }
});

import { App, Stack } from 'aws-cdk-lib';
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';
import { expect, inject, test } from 'vitest';
import { distributionArns } from '../../infra/constructs/distributions.ts';
import { EncryptionKeys } from '../../infra/constructs/encryption-keys.ts';
import { grantsOf } from '../../infra/constructs/grants.ts';
import { Queues } from '../../infra/constructs/queues.ts';
import { Secrets } from '../../infra/constructs/secrets.ts';
import { SettingParameters } from '../../infra/constructs/setting-parameters.ts';
import { Tables } from '../../infra/constructs/tables.ts';
import { functionSources } from '../../infra/definition/functions.ts';
import { type OptionTexts, parseOptions } from '../../infra/definition/options.ts';
import { CdnManagementStack } from '../../infra/stacks/cdn-management-stack.ts';
import type { Touches } from '../../shared/ground/resources.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface SynthesizedTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

function templateWith(options: OptionTexts): SynthesizedTemplate {
  process.env.CDK_VALIDATION = 'false';
  const app = new App({ analyticsReporting: false });
  new CdnManagementStack(app, parseOptions(options), inject('bundles'));
  return app.synth().getStackByName('CdnManagement').template;
}

function resourcesWith(options: OptionTexts): readonly [string, Resource][] {
  return Object.entries(templateWith(options).Resources);
}

const subnets = ['subnet-0a1b2c3d', 'subnet-0123456789abcdef0'];
const inNetwork = resourcesWith({ vpc: `vpc-0a1b2c3d:${subnets}` });
const withoutNetwork = resourcesWith({});

function ofType(type: string) {
  return inNetwork.filter(([, resource]) => resource.Type === type);
}

const [[groupId, group] = []] = ofType('AWS::EC2::SecurityGroup');
const reaching = functionSources.filter(({ declaration }) => declaration.reachesEdges);
const physicalNames = reaching.map(({ name }) => `CdnManagement-${name}`);

function arn(...end: unknown[]) {
  return { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ...end]] };
}

function regionalArn(service: string, resource: string, ...end: unknown[]) {
  return arn(`:${service}:`, { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }, `:${resource}`, ...end);
}

test('just the functions that reach edges run in the named subnets, in a security group of their own', () => {
  expect(reaching.map(({ name }) => name)).toContain('purge-consumer');
  const configured = ofType('AWS::Lambda::Function').flatMap(([, { Properties }]) =>
    Properties?.VpcConfig ? [[Properties.FunctionName, Properties.VpcConfig]] : [],
  );
  const vpcConfig = { SubnetIds: subnets, SecurityGroupIds: [{ 'Fn::GetAtt': [groupId, 'GroupId'] }] };
  expect(configured).toEqual(physicalNames.map((name) => [name, vpcConfig]));
});

test('nothing comes in through the security group', () => {
  expect(group?.Properties).toEqual({
    VpcId: 'vpc-0a1b2c3d',
    GroupDescription: expect.any(String),
    SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0', IpProtocol: '-1', Description: expect.any(String) }],
  });
  expect(ofType('AWS::EC2::SecurityGroupIngress')).toEqual([]);
});

interface Role {
  readonly Policies: { readonly PolicyDocument: { readonly Statement: { readonly Action: unknown }[] } }[];
}

function roleOf(physicalName: string): Role {
  const [, lambda] = inNetwork.find(([, { Properties }]) => Properties?.FunctionName === physicalName) ?? [];
  const { 'Fn::GetAtt': target } = (lambda?.Properties?.Role ?? {}) as { 'Fn::GetAtt'?: string[] };
  const [, role] = inNetwork.find(([id]) => id === target?.[0]) ?? [];
  return role?.Properties as unknown as Role;
}

const change = ['ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'];
const describe = ['ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'];

test.each(physicalNames)(
  'for %s Lambda makes interfaces in those subnets and that group only, and its own code none',
  (name) => {
    const statements = roleOf(name).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const interfaces = regionalArn('ec2', 'network-interface/*');
    expect(statements.filter(({ Action }) => String(Action).includes('ec2:'))).toEqual([
      {
        Effect: 'Allow',
        Action: 'ec2:CreateNetworkInterface',
        Resource: [
          ...subnets.map((subnet) => regionalArn('ec2', `subnet/${subnet}`)),
          regionalArn('ec2', 'security-group/', { 'Fn::GetAtt': [groupId, 'GroupId'] }),
          interfaces,
        ],
      },
      { Effect: 'Allow', Action: 'ec2:DeleteNetworkInterface', Resource: regionalArn('ec2', '*/*') },
      { Effect: 'Allow', Action: change, Resource: interfaces },
      { Effect: 'Allow', Action: describe, Resource: '*' },
      {
        Effect: 'Deny',
        Action: ['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface', ...change, ...describe],
        Resource: '*',
        Condition: { ArnEquals: { 'lambda:SourceFunctionArn': regionalArn('lambda', `function:${name}`) } },
      },
    ]);
  },
);

const certificateArn = 'arn:aws:acm:us-east-1:000000000000:certificate/1';
const atDomain = templateWith({ loginConcurrency: '20', domainName: 'api.example.com', certificateArn });

test('the domain’s address is an output, beside that of the API and where the domain must point', () => {
  expect(Object.keys(atDomain.Outputs)).toEqual(
    expect.arrayContaining(['ApiUrl', 'DomainUrl', expect.stringMatching(/DomainTarget/)]),
  );
  expect(atDomain.Outputs.DomainUrl?.Value).toBe('https://api.example.com/');
});

test('the concurrency of logins is that of the one function, and only where it is given', () => {
  const limited = Object.entries(atDomain.Resources).filter(
    ([, { Properties }]) => Properties?.ReservedConcurrentExecutions,
  );
  expect(limited.map(([id, { Properties }]) => [id, Properties?.ReservedConcurrentExecutions])).toEqual([
    ['AuthLoginFunction', 20],
  ]);
  expect(JSON.stringify(withoutNetwork)).not.toContain('ReservedConcurrentExecutions');
});

function accessLogOf(resources: typeof withoutNetwork): { Format?: string } | undefined {
  const [, stage] = resources.find(([, { Type }]) => Type === 'AWS::ApiGateway::Stage') ?? [];
  return stage?.Properties?.AccessLogSetting as { Format?: string } | undefined;
}

const logged = resourcesWith({ accessLogDays: '30' });

test('the access log is written where it is asked for, and kept for so many days', () => {
  const added = logged.filter(([id]) => !withoutNetwork.some(([known]) => known === id));
  expect(added.map(([, { Properties }]) => Properties)).toEqual([
    { LogGroupName: '/aws/apigateway/CdnManagement-access', RetentionInDays: 30 },
  ]);
  expect(accessLogOf(logged)).toMatchObject({ DestinationArn: expect.anything() });
  expect(accessLogOf(withoutNetwork)).toBeUndefined();
});

/** Those that the CDK knows, and those that API Gateway's developer guide lists beside them. */
const knownVariables = [
  ...Object.getOwnPropertyNames(AccessLogField)
    .filter((name) => name.startsWith('context') && name !== 'contextAccountId')
    .map((name) => String(Reflect.get(AccessLogField, name)('accountId'))),
  ...['error', 'latency', 'requestId', 'status'].map((name) => `$context.integration.${name}`),
];

test('a line of the access log is JSON, leads to the lines of functions, and holds no query and no credential', () => {
  const format = accessLogOf(logged)?.Format ?? '';
  const { requestId, extendedRequestId, authorizer, integration } = JSON.parse(format);
  expect([requestId, extendedRequestId, authorizer.requestId, integration.requestId]).toEqual([
    '$context.requestId',
    '$context.extendedRequestId',
    '$context.authorizer.requestId',
    '$context.integration.requestId',
  ]);
  const variables = format.match(/\$[\w.]+/g) ?? [];
  expect(variables.filter((name) => !knownVariables.includes(name))).toEqual([]);
  expect(variables).toEqual(
    expect.arrayContaining(
      ['error.message', 'authorizer.error', 'integration.error'].map((name) => `$context.${name}`),
    ),
  );
  expect(format).not.toMatch(/query|header|body|apiKey|claims|caller|principal|identity\.user/i);
});

test('the network changes those functions and their roles, and nothing else', () => {
  const before = new Map(withoutNetwork.map(([id, resource]) => [id, JSON.stringify(resource)]));
  const changed = inNetwork.filter(([id, resource]) => before.get(id) !== JSON.stringify(resource));
  const expected = reaching.flatMap(() => ['AWS::IAM::Role', 'AWS::Lambda::Function']);
  expect(changed.map(([, { Type }]) => Type).sort()).toEqual(['AWS::EC2::SecurityGroup', ...expected].sort());
  expect(JSON.stringify(withoutNetwork)).not.toMatch(/VpcConfig|SecurityGroup|ec2:/);
});

function statementsOf(touches: Touches, ids?: readonly string[]) {
  const stack = new Stack(new App({ analyticsReporting: false }), 'Grants');
  const { statements } = grantsOf(touches, {
    tables: new Tables(stack, 'Tables'),
    queues: new Queues(stack, 'Queues'),
    keys: new EncryptionKeys(stack, 'Keys'),
    secrets: new Secrets(stack, 'Secrets'),
    settings: new SettingParameters(stack, 'Settings'),
    distributionArns: distributionArns(stack, ids),
  });
  return stack.resolve(statements.map((statement) => statement.toStatementJson()));
}

test('what a declaration asks of distributions is granted on the allowed ones alone', () => {
  const touches: Touches = { distributions: ['CreateInvalidation', 'GetInvalidation'] };
  const { cloudFrontDistributions } = parseOptions({
    cloudFrontDistributions: 'E2QWRUHAPOMQZL,EDFDVBD632BHDS5',
  });
  expect(statementsOf(touches, cloudFrontDistributions)).toEqual(
    ['E2QWRUHAPOMQZL', 'EDFDVBD632BHDS5'].map((id) => ({
      Effect: 'Allow',
      Action: ['cloudfront:CreateInvalidation', 'cloudfront:GetInvalidation'],
      Resource: arn(':cloudfront::', { Ref: 'AWS::AccountId' }, `:distribution/${id}`),
    })),
  );
  expect(statementsOf(touches)).toEqual([]);
  expect(statementsOf({}, cloudFrontDistributions)).toEqual([]);
});

test.each([
  [{ vpc: 'vpc-0a1b2c3d:' }, 'must be VPC_ID:SUBNET_ID,SUBNET_ID'],
  [{ vpc: 'vpc-0a1b2c3d:sg-0a1b2c3d' }, 'must be VPC_ID:SUBNET_ID,SUBNET_ID'],
  [{ vpc: 'subnet-0a1b2c3d' }, 'must be VPC_ID:SUBNET_ID,SUBNET_ID'],
  [{ loginConcurrency: '0' }, 'must be a number from 1 to 9999'],
  [{ cloudFrontDistributions: '' }, 'must be distribution ids'],
  [{ cloudFrontDistributions: 'E2QWRUHAPOMQZL, EDFDVBD632BHDS5' }, 'must be distribution ids'],
])('%j is refused', (options, reason) => {
  expect(() => parseOptions(options)).toThrow(reason);
});

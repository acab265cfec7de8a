import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { App } from 'aws-cdk-lib';
import { afterAll, expect, inject, test } from 'vitest';
import { type OptionTexts, parseOptions } from '../../infra/definition/options.ts';
import { checkSolutions } from '../../infra/stacks/solutions-checks.ts';
import { makeApp } from '../../infra/synthesize.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'cdn-management-cdk-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function build(options: Readonly<Record<string, string>>): App {
  return makeApp({ bundles: inject('bundles'), assembly: join(folder, 'cdk.out'), options });
}

interface Template {
  readonly Resources: Readonly<Record<string, unknown>>;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

/** @throws Error where cdk-nag finds something */
async function templateOf(options: Readonly<Record<string, string>>): Promise<Template> {
  const app = build(options);
  checkSolutions(app);
  return app.synth().getStackByName('CdnManagement').template;
}

test('the stack without options passes cdk-nag’s AwsSolutions, and has its address as its only output', async () => {
  const { Resources, Outputs } = await templateOf({});
  expect(Object.keys(Resources)).not.toEqual([]);
  expect(Object.keys(Outputs)).toEqual(['ApiUrl']);
});

const everyOption: Readonly<Required<OptionTexts>> = {
  stackName: 'CdnManagement',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
  corsOrigins: 'https://panel.example.com',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:123456789012:alarms',
  accessLogDays: '14',
  loginConcurrency: '20',
  vpc: 'vpc-0a1b2c3d:subnet-0a1b2c3d,subnet-4e5f6a7b',
  cloudFrontDistributions: 'E2QWRUHAPOMQZL',
};

test('the stack with every option passes cdk-nag too, below CloudFormation’s 500 resources', async () => {
  const { Resources } = await templateOf(everyOption);
  expect(Object.values(Resources)).toContainEqual({
    Type: 'AWS::ApiGateway::DomainName',
    Properties: expect.objectContaining({ DomainName: 'api.example.com' }),
  });
  expect(Object.keys(Resources).length).toBeLessThan(400);
});

const wrong = [
  [{ vpc: 'vpc-0a1b2c3d' }, 'Wrong option: vpc must be VPC_ID:SUBNET_ID,SUBNET_ID.'],
  [
    { stackName: '1', alarmTopicArn: 'x' },
    'Wrong option: stackName must be 1 to 30 letters, digits and hyphens; alarmTopicArn must be an ARN, which begins with arn:.',
  ],
  [
    { accessLogDays: '10' },
    'Wrong option: accessLogDays must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653.',
  ],
  [{ domainName: 'api.example.com' }, 'Give the options domainName and certificateArn together, or neither.'],
  [
    { corsOrigin: 'https://panel.example.com', 'domain-name': 'api.example.com' },
    'There is no option corsOrigin, domain-name. Options are stackName, domainName, certificateArn, corsOrigins, alarmTopicArn, accessLogDays, loginConcurrency, vpc, cloudFrontDistributions.',
  ],
] as const;

test.each(wrong)('%j is refused in one line that says which option it is', (options, reason) => {
  expect(() => build(options)).toThrow(new Error(reason));
});

test('every option stands in the table of the README', () => {
  const [, names = ''] = / Options are (.+)\.$/.exec(wrong[4][1]) ?? [];
  const readme = readFileSync('README.md', 'utf8');
  const isInTable = (name: string): boolean => new RegExp(`^\\|[^|]*\`${name}\``, 'm').test(readme);
  expect(names.split(', ').filter((name) => !isInTable(name))).toEqual([]);
});

test('the CDK’s own context is no option', () => {
  const own = {
    ...{ '@aws-cdk/core:checkSecretUsage': true, 'aws:cdk:enable-path-metadata': true },
    ...{ 'aws-cdk:enableDiffNoFail': true, 'cli-telemetry': false, 'acknowledged-issue-numbers': [1] },
    'availability-zones:account=123456789012:region=eu-west-1': ['eu-west-1a'],
    'vpc-provider:account=123456789012:filter.vpc-id=vpc-1:region=eu-west-1': {},
    'hosted-zone:account=123456789012:domainName=example.com:region=eu-west-1': {},
  };
  expect(parseOptions({ ...own, corsOrigins: 'https://panel.example.com' })).toEqual({
    stackName: 'CdnManagement',
    corsOrigins: 'https://panel.example.com',
  });
});

test('the app ends with status 1 and one line where an option is wrong', async () => {
  const [[options, reason]] = wrong;
  const env = {
    PATH: process.env.PATH ?? '',
    CDK_CONTEXT_JSON: JSON.stringify(options),
    CDK_OUTDIR: join(folder, 'refused'),
  };
  const ended: unknown = await run('node_modules/.bin/node', ['infra/app.ts'], { env }).catch(
    (error: unknown) => error,
  );
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: `${reason}\n` });
});

test('only the packages that are named may run a script when they are installed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(withScript.map((path) => path.replace('node_modules/', '')).sort()).toEqual(
    Object.keys(allowScripts).sort(),
  );
});

test('exact versions, and a lock file that names no download hosts', () => {
  for (const file of ['package.json', 'test/infra/openapi/client/package.json']) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  }
  expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "http/);
});

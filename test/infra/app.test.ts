import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { App } from 'aws-cdk-lib';
import { afterAll, expect, inject, test } from 'vitest';
import type { OptionTexts } from '../../infra/definition/options.ts';
import { checkSolutions } from '../../infra/stacks/solutions-checks.ts';
import { makeApp } from '../../infra/synthesize.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'cdn-management-cdk-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The CDK's own command, without credentials, a region, or the settings of whoever runs the tests. */
async function cdk(...args: string[]): Promise<string> {
  const home = join(folder, 'home');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const { stdout } = await run('node_modules/.bin/cdk', [...args, '--output', join(home, 'cdk.out')], {
    env,
  });
  return stdout.trim();
}

test('cdk ls works offline, and takes an option', async () => {
  expect(await cdk('ls', '-c', 'stackName=Edges')).toBe('Edges');
}, 60_000);

function build(options: Partial<OptionTexts>): App {
  return makeApp({ bundles: inject('bundles'), assembly: join(folder, 'cdk.out'), options });
}

/** @throws Error where cdk-nag finds something */
async function resourcesOf(options: Partial<OptionTexts>): Promise<readonly unknown[]> {
  const app = build(options);
  checkSolutions(app);
  return Object.values(app.synth().getStackByName('CdnManagement').template.Resources);
}

test('the stack without options passes cdk-nag’s AwsSolutions', async () => {
  expect(await resourcesOf({})).not.toEqual([]);
}, 60_000);

test('a domain, a network and distributions of the operator’s are options, and pass cdk-nag too', async () => {
  const resources = await resourcesOf({
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
    vpc: 'vpc-0a1b2c3d:subnet-0a1b2c3d,subnet-4e5f6a7b',
    cloudFrontDistributions: 'E2QWRUHAPOMQZL',
  });
  expect(resources).toContainEqual({
    Type: 'AWS::ApiGateway::DomainName',
    Properties: expect.objectContaining({ DomainName: 'api.example.com' }),
  });
}, 60_000);

test.each([
  [{ vpc: 'vpc-0a1b2c3d' }, 'must be VPC_ID:SUBNET_ID,SUBNET_ID'],
  [{ cloudFrontDistributions: '*' }, 'must be distribution ids'],
])('a wrong option is refused, saying what it must be: %j', async (options, reason) => {
  expect(() => build(options)).toThrow(reason);
});

test('options that do not fit together are refused, saying why', async () => {
  expect(() => build({ domainName: 'api.example.com' })).toThrow('domainName and certificateArn');
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

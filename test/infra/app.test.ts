import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** The CDK's own command, without credentials, a region, or the settings of whoever runs the tests. */
async function cdk(...args: string[]) {
  const output = mkdtempSync(join(tmpdir(), 'cdn-management-cdk-'));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: output,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  try {
    const { stdout } = await run('node_modules/.bin/cdk', [...args, '--output', join(output, 'cdk.out')], {
      env,
    });
    return { stdout, output };
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

test('cdk ls works offline, and the stack without options passes cdk-nag’s AwsSolutions', async () => {
  expect((await cdk('ls')).stdout.trim()).toBe('CdnManagement');
}, 60_000);

test('a domain, a network and distributions of the operator’s are options, and pass cdk-nag too', async () => {
  const options = [
    'domainName=api.example.com',
    'certificateArn=arn:aws:acm:eu-west-1:123456789012:certificate/1',
    'vpc=vpc-0a1b2c3d:subnet-0a1b2c3d,subnet-4e5f6a7b',
    'cloudFrontDistributions=E2QWRUHAPOMQZL',
  ];
  const { stdout } = await cdk('synth', ...options.flatMap((option) => ['-c', option]));
  expect(stdout).toContain('AWS::ApiGateway::DomainName');
  expect(stdout).toContain('api.example.com');
}, 60_000);

test.each([
  ['vpc=vpc-0a1b2c3d', 'must be VPC_ID:SUBNET_ID,SUBNET_ID'],
  ['cloudFrontDistributions=*', 'must be distribution ids'],
])(
  'a wrong option is refused, saying what it must be: %s',
  async (option, reason) => {
    await expect(cdk('ls', '-c', option)).rejects.toThrow(reason);
  },
  60_000,
);

test('options that do not fit together are refused, saying why', async () => {
  await expect(cdk('ls', '-c', 'domainName=api.example.com')).rejects.toThrow(
    'domainName and certificateArn',
  );
}, 60_000);

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

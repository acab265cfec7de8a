import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const home = mkdtempSync(join(tmpdir(), 'cdn-management-cdk-'));

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The CDK's own command, without credentials, a region, or the settings of whoever runs the tests. */
async function cdk(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const output = ['--output', join(home, 'cdk.out')];
  const { stdout } = await promisify(execFile)('node_modules/.bin/cdk', [...args, ...output], { env });
  return stdout.trim();
}

test('cdk ls works offline, and takes an option', async () => {
  expect(await cdk('ls', '-c', 'stackName=Edges')).toBe('Edges');
});

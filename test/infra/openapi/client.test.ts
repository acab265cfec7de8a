import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

const run = promisify(execFile);
const client = join(import.meta.dirname, 'client');
const root = join(import.meta.dirname, '..', '..', '..');

function program(name: string): string {
  return join(client, 'node_modules', '.bin', name);
}

let service: TestRun;
let folder: string;

beforeAll(async () => {
  service = await joinSharedRun();
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-client-'));
});
afterAll(async () => {
  await service.end();
  rmSync(folder, { recursive: true, force: true });
});

/** The customer's project, as if the generated file lay beside the program. */
function tsconfig() {
  return {
    compilerOptions: {
      ...{ strict: true, noEmit: true, target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'] },
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      rootDirs: [folder, client],
      typeRoots: [join(root, 'node_modules', '@types')],
      types: ['node'],
    },
    files: [join(client, 'journey.ts'), join(folder, 'schema.ts')],
  };
}

test('a client generated from the served description compiles', async () => {
  const url = `${service.baseUrl}/swagger/v1/swagger.json`;
  await run(program('openapi-typescript'), [url, '--output', join(folder, 'schema.ts')]);
  expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toContain('purgeCreate');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig()));
  const compiled = run(program('tsc'), ['--project', folder]).catch(({ stdout }) => ({ stdout }));
  expect((await compiled).stdout).toBe('');
});

test('and drives the service through login, property, rule, purge and ticket', async () => {
  const { baseUrl, username, password } = service;
  const env = { ...process.env, BASE_URL: baseUrl, LOGIN_NAME: username, PASSWORD: password };
  const { stdout } = await run(
    'node',
    ['--disable-warning=ExperimentalWarning', join(client, 'journey.ts')],
    {
      env,
    },
  );
  expect(JSON.parse(stdout)).toEqual({
    account: expect.any(String),
    property: ['Renamed', 3600, 2],
    rule: [true, 86_400],
    purge: [2, ['/', '/news']],
    ticket: [1, 'open', ['Why?']],
    missing: 'Property not found.',
  });
});

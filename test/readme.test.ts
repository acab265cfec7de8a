import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedProgram, startProgram } from './support/program.ts';
import { blocks, callExamples } from './support/readme.ts';

const run = promisify(execFile);

let folder: string;
let program: StartedProgram;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-readme-'));
  program = await startProgram(join(folder, '.local'));
});
afterAll(async () => {
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

test('the curl examples work as they stand', async () => {
  const answers = await callExamples(folder);
  expect(answers.map(({ succeeded }) => succeeded)).toEqual([true, true, true]);
  expect(answers.map(({ data }) => data)).toMatchObject([
    { credential: { type: 'apiKey' } },
    { jobCount: 1 },
    { jobCount: 2 },
  ]);
});

test('the Node example works as it stands', async () => {
  const file = join(folder, 'example.mjs');
  writeFileSync(file, blocks('js')[0] ?? '');
  const { stdout } = await run('node', [file], { env: { ...process.env, ...program.demo } });
  expect(stdout).toMatch(/^[0-9a-z]{26}\n$/);
});

test('every endpoint is in the table, and every file that is named exists', async () => {
  const readme = readFileSync('README.md', 'utf8');
  const { endpoints } = await import('../functions/endpoints.ts');
  for (const { path } of Object.values(endpoints)) expect(readme).toContain(`${path}\``);
  for (const [, path = ''] of readme.matchAll(/`((?:functions|shared|infra|test)\/[\w./-]+)`/g)) {
    expect([path, existsSync(path)]).toEqual([path, true]);
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { giveAssembly } from './give-assembly.ts';
import { type Ended, runOperator, type StartedProgram, startProgram } from './program.ts';

/** The folder and the real start that the operator's commands of a test file work on. */
export let directory: string;
export let program: StartedProgram;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cdn-management-operator-'));
  giveAssembly(directory);
  program = await startProgram(directory);
});
afterAll(async () => {
  await program.stop('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
});

export function operator(...args: string[]): Promise<Ended> {
  return runOperator(args, { DATA_DIR: directory });
}

/** What a command that must succeed prints with --json. */
export async function json(...args: string[]) {
  const { status, stdout, stderr } = await operator(...args, '--json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

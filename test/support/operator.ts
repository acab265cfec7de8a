import { afterAll, beforeAll, expect, vi } from 'vitest';
import { type Outcome, operate, type Terminal } from '../../infra/operator/operate.ts';
import { startTestRun, type TestRun } from './test-run.ts';

/** The local run that the operator's commands of a test file work on. */
export let run: TestRun;

beforeAll(async () => {
  run = await startTestRun();
  vi.stubEnv('DATA_DIR', run.folder);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await run.end();
});

/** Does in this process what the operator's program does in its own. */
export function operator(...args: string[]): Promise<Outcome> {
  return operate(args);
}

/** The same where somebody watches, in a terminal of 80 columns. @returns also what is shown while it works */
export async function operatorAtTerminal(...args: string[]) {
  const shown: string[] = [];
  const terminal: Terminal = { columns: 80, progress: (text) => shown.push(text) };
  return { ...(await operate(args, terminal)), shown };
}

/** What a command that must succeed prints with --json. */
export async function json(...args: string[]) {
  const { status, stdout, stderr } = await operator(...args, '--json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

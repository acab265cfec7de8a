import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { ScratchCopy } from './scratch-copy.ts';

/** As vitest's JSON reporter has it. */
const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Full names of the tests that were run to their end. */
export interface TestRunResult {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** What was printed, for where nothing was run. */
  readonly output: string;
}

interface Asked {
  readonly files: readonly string[];
  /** Pattern of the names of the tests that are run. */
  readonly only?: string | undefined;
  /** Whether the first failure is enough. */
  readonly isBailing: boolean;
  readonly workers: number;
}

/** Runs test files of a copy of the project. A file that cannot be loaded or set up has neither passed nor failed tests. */
export async function runTests(copy: ScratchCopy, asked: Asked): Promise<TestRunResult> {
  const report = join(copy.folder, 'mutation-report.json');
  rmSync(report, { force: true });
  if (!isBare(asked)) await copy.bundle();
  const output = await run(copy, [...argumentsOf(asked), '--reporter=json', `--outputFile=${report}`]);
  if (!existsSync(report)) return { passed: [], failed: [], output };
  const { testResults } = Report.parse(JSON.parse(readFileSync(report, 'utf8')));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const namesOf = (wanted: string) =>
    tests.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  return { passed: namesOf('passed'), failed: namesOf('failed'), output };
}

/** Tests of rules and of edges, which need no bundled function. */
const bare = /^test\/(?:shared|infra\/edge)\//;

function argumentsOf({ files, only, isBailing, workers }: Asked): readonly string[] {
  return [
    ...['run', ...files, `--maxWorkers=${workers}`],
    ...(isBare({ files }) ? ['--config=test/mutation/vitest.config.ts'] : []),
    ...(only === undefined ? [] : ['-t', only]),
    ...(isBailing ? ['--bail=1'] : []),
  ];
}

function isBare({ files }: Pick<Asked, 'files'>): boolean {
  return files.every((file) => bare.test(file));
}

async function run({ folder, bundles }: ScratchCopy, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    cwd: folder,
    env: { ...process.env, TEST_BUNDLES: bundles },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => void child.kill();
  process.once('exit', end);
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  process.off('exit', end);
  return output.join('');
}

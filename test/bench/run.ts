import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localEnvironment, stackEnvironment } from '../../infra/environment.ts';
import { DataDirectory } from '../../infra/local/host/data-directory.ts';
import { findRun } from '../../infra/local/host/run-file.ts';
import { type LocalRun, startLocalRun } from '../../infra/local/local-run.ts';
import { buildApp } from '../../infra/synthesize.ts';
import { type Demo, startProgram } from '../support/program.ts';

/** Does something with a local run of its own, in a folder that is gone afterwards. */
export async function withLocalRun(measure: (run: LocalRun) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
  const assembly = join(folder, 'cdk.out');
  process.env.CDK_VALIDATION = 'false';
  (await buildApp({ bundles: join(folder, 'bundles'), assembly })).synth();
  const directory = DataDirectory.open(join(folder, 'data'));
  const run = await startLocalRun({ assembly, stackName: 'CdnManagement', directory, port: 0, edgePort: 0 });
  await measure(run);
  await run.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The same with the local run in a process of its own, so that this one's CPU is that of what is measured. */
export async function withProgram(measure: (demo: Demo) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
  const program = await startProgram(folder);
  const run = findRun(folder);
  if (!run) throw new Error(program.output());
  Object.assign(process.env, stackEnvironment(run.stackName), localEnvironment(run.endpoints, run.region));
  await measure(program.demo);
  await program.stop('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/** @param part 0.5 for the median */
export function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;
}

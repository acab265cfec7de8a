import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localEnvironment, stackEnvironment } from '../../../infra/environment.ts';
import { DataDirectory } from '../../../infra/local/host/data-directory.ts';
import { findRun } from '../../../infra/local/host/run-file.ts';
import { type LocalRun, type LocalRunOptions, startLocalRun } from '../../../infra/local/local-run.ts';
import { type Demo, startProgram } from '../../support/program.ts';
import { sharedFolders } from './folders.ts';

/** Does something with a local run of its own, in a folder that is gone afterwards. */
export async function withLocalRun<Found>(
  measure: (run: LocalRun) => Promise<Found>,
  options: Partial<LocalRunOptions> = {},
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
  const { assembly } = sharedFolders();
  const directory = DataDirectory.open(join(folder, 'data'));
  const own = { assembly, stackName: 'CdnManagement', directory, port: 0, edgePort: 0 };
  const run = await startLocalRun({ ...own, ...options });
  try {
    return await measure(run);
  } finally {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same with the local run in a process of its own, so that this one's CPU is that of what is measured. */
export async function withProgram<Found>(measure: (demo: Demo) => Promise<Found>): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
  symlinkSync(sharedFolders().assembly, join(folder, 'cdk.out'));
  const program = await startProgram(folder);
  try {
    const run = findRun(folder);
    if (!run) throw new Error(program.output());
    Object.assign(process.env, stackEnvironment(run.stackName), localEnvironment(run.endpoints, run.region));
    return await measure(program.demo);
  } finally {
    await program.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

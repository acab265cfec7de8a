import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectory } from '../../infra/local/data-directory.ts';
import { type LocalRun, startLocalRun } from '../../infra/local/local-run.ts';
import { buildApp } from '../../infra/synthesize.ts';

/** Does something with a local run of its own, in a folder that is gone afterwards. */
export const withLocalRun = async (measure: (run: LocalRun) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-bench-'));
  const assembly = join(folder, 'cdk.out');
  process.env.CDK_VALIDATION = 'false';
  (await buildApp({ bundles: join(folder, 'bundles'), assembly })).synth();
  const directory = DataDirectory.open(join(folder, 'data'));
  const run = await startLocalRun({ assembly, stackName: 'CdnManagement', directory, port: 0, edgePort: 0 });
  await measure(run);
  await run.stop();
  rmSync(folder, { recursive: true, force: true });
};

/** @param part 0.5 for the median */
export const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;

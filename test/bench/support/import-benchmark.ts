import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionSources } from '../../../infra/definition/functions.ts';
import type { Benchmark, Measured } from './benchmark.ts';
import { startCold } from './cold-start.ts';
import { sharedFolders } from './folders.ts';
import { interleaved } from './medians.ts';
import { usualBundle } from './usual-bundle.ts';

const rounds = 40;

/** CPU of loading a function's bundle, against that of esbuild's usual bundle of the same file. */
export function importBenchmark(functionName: string, goal: number): Benchmark {
  return { unit: 'ms of CPU', goal, run: () => compareImports(functionName) };
}

async function compareImports(functionName: string): Promise<Measured> {
  const { bundles } = sharedFolders();
  const source = functionSources.find(({ name }) => name === functionName);
  if (!source) throw new Error(`There is no function ${functionName}`);
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-usual-'));
  const usual = join(folder, 'index.cjs');
  await usualBundle({ entryPoints: [join('functions', `${source.file}.ts`)] }, usual);
  const load = async (bundle: string): Promise<number> => (await startCold(bundle)).milliseconds;
  const measured = await interleaved(
    rounds,
    () => load(join(bundles, functionName, 'index.mjs')),
    () => load(usual),
  );
  rmSync(folder, { recursive: true, force: true });
  return measured;
}

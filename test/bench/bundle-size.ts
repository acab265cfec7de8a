import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionSources } from '../../infra/definition/functions.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { sharedFolders } from './support/folders.ts';
import { usualBundle } from './support/usual-bundle.ts';

/** What is smaller than this holds nothing to be left out. */
const leastKilobytes = 100;

/** The bundle that is largest beside esbuild's usual bundle of the same file. */
export const benchmark: Benchmark = { unit: 'KB', goal: 0.5, run };

async function run(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-management-usual-'));
  const sizes: Measured[] = [];
  for (const { name, file } of functionSources) {
    const source = { entryPoints: [join('functions', `${file}.ts`)] };
    const usualBytes = await usualBundle(source, join(folder, `${name}.cjs`));
    const { size } = statSync(join(sharedFolders().bundles, name, 'index.mjs'));
    sizes.push({ ours: size / 1024, other: usualBytes / 1024 });
  }
  rmSync(folder, { recursive: true, force: true });
  const [worst] = sizes
    .filter(({ other }) => other >= leastKilobytes)
    .sort((a, b) => b.ours / b.other - a.ours / a.other);
  if (!worst) throw new Error('There is no bundle of that size');
  return worst;
}

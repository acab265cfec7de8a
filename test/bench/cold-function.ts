import { join } from 'node:path';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { bundleOf, withColdRun } from './support/cold-run.ts';
import { interleaved } from './support/medians.ts';
import { usualBundle } from './support/usual-bundle.ts';

/** The purge function cold, its first call included, against esbuild's usual bundle of the same file. */
export const benchmark: Benchmark = { unit: 'ms of CPU', goal: 0.65, run };

const rounds = 30;

function run(): Promise<Measured> {
  return withColdRun(async (cold) => {
    const usual = join(cold.folder, 'purge.cjs');
    await usualBundle({ entryPoints: ['functions/purge/create.ts'] }, usual);
    const { caller } = await cold.authorize();
    return interleaved(
      rounds,
      () => cold.purgeBy(bundleOf('purge-create'), caller),
      () => cold.purgeBy(usual, caller),
    );
  });
}

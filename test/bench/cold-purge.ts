import { join } from 'node:path';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { bundleOf, withColdRun } from './support/cold-run.ts';
import { bundleExpress } from './support/express/bundle.ts';
import { interleaved } from './support/medians.ts';

/** A purge that finds authorizer and function cold, against one function that is all endpoints in Express, cold too. */
export const benchmark: Benchmark = { unit: 'ms of CPU', goal: 0.8, run };

const rounds = 30;

function run(): Promise<Measured> {
  return withColdRun(async (cold) => {
    const express = join(cold.folder, 'express.cjs');
    await bundleExpress('lambda', express);
    return interleaved(
      rounds,
      async () => {
        const { milliseconds, caller } = await cold.authorize();
        return milliseconds + (await cold.purgeBy(bundleOf('purge-create'), caller));
      },
      () => cold.purgeBy(express),
    );
  });
}

import { growthBenchmark } from './support/growth.ts';
import { ask, seedPurges } from './support/seeds.ts';

export const benchmark = growthBenchmark({
  functionName: 'purge-list',
  seed: seedPurges,
  ask: (run) => ask(run, `/api/property/${run.propertyId}/purge?pageSize=10`),
});

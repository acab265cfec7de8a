import { growthBenchmark } from './support/growth.ts';
import { ask, seedProperties } from './support/seeds.ts';

export const benchmark = growthBenchmark({
  functionName: 'property-list',
  seed: seedProperties,
  ask: (run) => ask(run, '/api/property?pageSize=10'),
});

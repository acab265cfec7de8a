import { growthBenchmark } from './support/growth.ts';
import { ask, seedPurges } from './support/seeds.ts';

export const benchmark = growthBenchmark({
  functionName: 'purge-create',
  seed: seedPurges,
  ask: (run) => ask(run, `/api/property/${run.propertyId}/purge`, { type: 'url', urls: ['/'] }),
});

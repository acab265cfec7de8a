import { growthBenchmark } from './support/growth.ts';
import { ask, seedApiKeys } from './support/seeds.ts';

export const benchmark = growthBenchmark({
  functionName: 'api-key-list',
  seed: seedApiKeys,
  ask: (run) => ask(run, '/api/account/api-keys?pageSize=10'),
});

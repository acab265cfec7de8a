import { countedBenchmark } from './support/counted-purge.ts';
import { pricedUnitsOf } from './support/counted-run.ts';

/** What it costs to find out who calls. */
export const benchmark = countedBenchmark({
  unit: 'write units',
  goal: 0.84,
  count: ({ authorizer }) => pricedUnitsOf(authorizer),
});

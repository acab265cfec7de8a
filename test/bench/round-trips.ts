import { sequentialDepth } from '../support/aws-calls.ts';
import { countedBenchmark } from './support/counted-purge.ts';

/** Calls of AWS that wait for one another until a purge is accepted. */
export const benchmark = countedBenchmark({
  unit: 'round trips',
  goal: 0.75,
  count: ({ authorizer, purge }) => sequentialDepth(authorizer) + sequentialDepth(purge),
});

import { growthBenchmark } from './support/growth.ts';
import { AccountEdge } from './support/polling.ts';

let made: AccountEdge | undefined;

/** An edge's poll that finds nothing new, by the number of its properties. */
export const benchmark = growthBenchmark({
  functionName: 'edge-config-get',
  numbers: { few: 10, many: 10_000 },
  seed: async (run, count) => {
    made ??= await AccountEdge.make(run);
    await made.seed(count);
  },
  before: async () => made?.sync(),
  ask: async () => made?.edge.poll(),
});

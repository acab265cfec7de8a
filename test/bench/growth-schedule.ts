import { growthBenchmark } from './support/growth.ts';
import { seedProperties, seedPurges } from './support/seeds.ts';

/** What looks after edges each minute, with as many properties, and purges of one. */
export const benchmark = growthBenchmark({
  functionName: 'catch-up-schedule',
  seed: async (run, count) => {
    await seedProperties(run, count);
    await seedPurges(run, count);
  },
  ask: ({ functions }) => functions.invoke('CdnManagement-catch-up-schedule', {}),
});

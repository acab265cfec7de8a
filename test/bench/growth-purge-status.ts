import { newId } from '../../shared/ground/id.ts';
import { recordPurge } from '../../shared/purge/purge-table.ts';
import { acceptedPurge } from '../support/accepted-purge.ts';
import type { CountedRun } from './support/counted-run.ts';
import { growthBenchmark } from './support/growth.ts';
import { ask, seedPurges } from './support/seeds.ts';

/** Of a purge that is read again and again, while others come. */
const id = newId();

export const benchmark = growthBenchmark({
  functionName: 'purge-get',
  seed: async (run, count) => {
    await recordPurge({ ...acceptedPurge(run, ['/']), id });
    await seedPurges(run, count);
  },
  ask: (run: CountedRun) => ask(run, `/api/property/${run.propertyId}/purge/${id}`),
});

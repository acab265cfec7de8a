import { countedBenchmark } from './support/counted-purge.ts';

/** A read unit has a fifth of a write unit's price. */
const writeUnitsOfRead = 0.2;

/** What it costs to find out who calls. */
export const benchmark = countedBenchmark({
  unit: 'write units',
  goal: 1 / (1 + writeUnitsOfRead),
  count: ({ authorizer }) =>
    authorizer.reduce((sum, call) => sum + call.writeUnits + call.readUnits * writeUnitsOfRead, 0),
});

import { charge, scaled } from './charge.ts';
import { withCostRun } from './cost-run.ts';
import { countsOf } from './counts.ts';
import type { Measured } from './measure.ts';
import { measurePurges } from './scenarios/purge.ts';
import { type Position, statement } from './statement.ts';

const million = 1_000_000;

/** Dollars that a million should cost at most. */
const goals: Readonly<Record<string, number>> = {
  'purges, one edge, one by one': 8.6,
  'purges, one edge, in batches of ten': 6.8,
};

function positionOf({ name, count, usage }: Measured): Position {
  const goal = goals[name];
  return { name, dollars: scaled(charge(usage), count, million), ...(goal && { goal }) };
}

await withCostRun(async (run) => {
  const purges = await measurePurges(run);
  console.log(countsOf(purges));
  console.log(statement('A million of', purges.map(positionOf)));
});
process.exit();

import { type Charge, charge, monthlyCharge, scaled } from './charge.ts';
import { type CostRun, withCostRun } from './cost-run.ts';
import { countsOf } from './counts.ts';
import type { Measured } from './measure.ts';
import { measureAuthentications } from './scenarios/authentication.ts';
import { measureDistribution } from './scenarios/distribution.ts';
import { measureLists } from './scenarios/list.ts';
import { measureLogLines } from './scenarios/log-line.ts';
import { measureSchedule, standingOf } from './scenarios/month.ts';
import { measurePurges } from './scenarios/purge.ts';
import { type Position, statement } from './statement.ts';

/** Prints what the service costs at list prices, from what a local run of it was counted to use. */
const million = 1_000_000;
const minutesInAMonth = 30 * 24 * 60;

/** Dollars that a million should cost at most. */
const goals: Readonly<Record<string, number>> = {
  'purges, one edge, one by one': 8.6,
  'purges, one edge, in batches of ten': 6.8,
};

function positionOf({ name, count, usage }: Measured): Position {
  const goal = goals[name];
  return { name, dollars: scaled(charge(usage), count, million), ...(goal !== undefined && { goal }) };
}

function idleMonth(run: CostRun, { usage, count }: Measured): Position {
  const schedule: Charge = scaled(charge(usage), count, minutesInAMonth);
  return { name: 'A month without any request', dollars: { ...schedule, ...monthlyCharge(standingOf(run)) } };
}

await withCostRun(async (run) => {
  const purges = await measurePurges(run);
  const others = [
    ...(await measureAuthentications(run)),
    ...(await measureLists(run)),
    ...(await measureLogLines(run)),
  ];
  const distribution = await measureDistribution(run);
  const schedule = await measureSchedule(run);
  const counted = [...purges, ...others, ...distribution, schedule];
  console.log(countsOf(counted));
  for (const measured of [purges, others, distribution])
    console.log(statement('A million', measured.map(positionOf)));
  console.log(statement('Idle', [idleMonth(run, schedule)]));
});
process.exit();

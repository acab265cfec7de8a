import { afterAll, afterEach, beforeAll, beforeEach, test } from 'vitest';
import { namesOf } from '../../shared/ground/names.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { ClockBench } from './support/faults/clock-bench.ts';
import { clockTrials } from './support/faults/clock-trials.ts';
import { Clocks } from './support/faults/clocked-environment.ts';
import { shareOf } from './support/share.ts';
import { Tally } from './support/tally.ts';

const clocks = new Clocks();
const hour = 3_600_000;
let run: TestRun;
let tally: Tally;

beforeAll(async () => {
  run = await startTestRun({ makeEnvironment: clocks.make });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
});
beforeEach(() => {
  tally = new Tally('faults');
});
afterEach((context) => {
  clocks.offsets.clear();
  tally.end(context);
});
afterAll(() => run.end());

const directions = { ahead: hour, behind: -hour } as const;
const trials = namesOf(clockTrials).flatMap((trial) =>
  namesOf(directions).map((direction) => [trial, direction] as const),
);

test.each(shareOf(trials, 1, trials.length))(
  '%s, where a function is an hour %s',
  async (trial, direction) => {
    await clockTrials[trial](new ClockBench(run, clocks, tally, directions[direction]));
  },
);

import type { Benchmark, Measured } from './benchmark.ts';
import { type CountedRun, pricedUnitsOf, withCountedRun } from './counted-run.ts';
import { median } from './medians.ts';

/** How something is asked, once there are so many records. */
interface Growth {
  /** Whose reads and writes count. */
  readonly functionName: string;
  readonly numbers?: { readonly few: number; readonly many: number };
  /** Makes so many records more. */
  readonly seed: (run: CountedRun, count: number) => Promise<unknown>;
  readonly ask: (run: CountedRun) => Promise<unknown>;
  /** Done each time before it is asked. */
  readonly before?: (run: CountedRun) => Promise<unknown>;
}

const usualNumbers = { few: 10, many: 100_000 };
const times = 5;

/** What something reads and writes with many records, against the same with few: it is not to grow with them. */
export function growthBenchmark(growth: Growth): Benchmark {
  return { unit: 'write units', goal: 1.2, run: () => withCountedRun((run) => compare(run, growth)) };
}

async function compare(run: CountedRun, growth: Growth): Promise<Measured> {
  const { few, many } = growth.numbers ?? usualNumbers;
  await growth.seed(run, few);
  const other = await unitsOf(run, growth);
  await growth.seed(run, many - few);
  return { ours: await unitsOf(run, growth), other };
}

async function unitsOf(run: CountedRun, { functionName, before, ask }: Growth): Promise<number> {
  const units: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await before?.(run);
    run.aws.calls.length = 0;
    await ask(run);
    units.push(
      pricedUnitsOf(run.aws.calls.filter((call) => call.functionName === `CdnManagement-${functionName}`)),
    );
  }
  return median(units);
}

import type { Benchmark, Measured } from './support/benchmark.ts';
import { type CountedRun, withCountedRun, writeUnitsOfRead } from './support/counted-run.ts';
import { AccountEdge } from './support/polling.ts';

/** What an edge's first sync takes for each of 10,000 properties, against each of 1,000. */
export const benchmark: Benchmark = {
  unit: 'write units a property',
  goal: 1.2,
  run: () => withCountedRun(compare),
};

const few = 1_000;
const many = 10_000;

async function compare(run: CountedRun): Promise<Measured> {
  const other = await unitsOfProperty(run, few);
  return { ours: await unitsOfProperty(run, many), other };
}

async function unitsOfProperty(run: CountedRun, count: number): Promise<number> {
  const made = await AccountEdge.make(run);
  await made.seed(count);
  const [, read, written] = await made.edge.counted(() => made.sync());
  return (written + read * writeUnitsOfRead) / count;
}

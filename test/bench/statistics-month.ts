import { ApiClient } from '../support/api-client.ts';
import { makeEdge, sendLines, varnishLine } from '../support/edge-log.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { type CountedRun, pricedUnitsOf, withCountedRun } from './support/counted-run.ts';
import { interleaved } from './support/medians.ts';
import { ask } from './support/seeds.ts';

/** What 30 days of a property's statistics read, against one day. */
export const benchmark: Benchmark = { unit: 'write units', goal: 2, run: () => withCountedRun(compare) };

const rounds = 5;
const day = 86_400_000;
const hour = 3_600_000;
const kinds = [
  { handling: 'hit', status: 200 },
  { handling: 'miss', status: 200 },
  { handling: 'miss', status: 404 },
  { handling: 'pass', status: 500 },
];

async function compare(run: CountedRun): Promise<Measured> {
  const now = Date.now();
  for (const edge of ['a-1', 'a-2', 'a-3']) await serve(run, edge, now);
  const path = `/api/property/${run.propertyId}/statistics`;
  const units = async (query: string): Promise<number> => {
    run.aws.calls.length = 0;
    await ask(run, `${path}?${query}`);
    return pricedUnitsOf(
      run.aws.calls.filter(({ functionName }) => functionName.endsWith('statistics-property')),
    );
  };
  const from = new Date(now - 29 * day).toISOString();
  return interleaved(
    rounds,
    () => units(`granularity=day&from=${from}`),
    () => units('granularity=hour'),
  );
}

/** Some of everything in each of 30 days, and in each hour of the last one. */
async function serve({ baseUrl, apiKey, hostname }: CountedRun, edge: string, now: number): Promise<void> {
  const token = await makeEdge(edge);
  const times = [
    ...Array.from({ length: 30 }, (_, index) => now - index * day),
    ...Array.from({ length: 24 }, (_, index) => now - index * hour),
  ];
  const lines = times.flatMap((at) =>
    kinds.map((kind) => varnishLine({ host: hostname, at, bytes: 1_000_000_000, ...kind })),
  );
  const { status, text } = await sendLines(new ApiClient(baseUrl, apiKey), token, lines);
  if (status !== 200) throw new Error(text);
}

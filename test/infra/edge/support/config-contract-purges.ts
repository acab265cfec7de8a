import { beforeAll, describe } from 'vitest';
import { backends } from '../../../../shared/edge/backends.ts';
import { volume } from '../../../support/volume.ts';
import type { ConfigBench } from './config-bench.ts';
import { holdsBackFetches } from './contract-fetches.ts';
import { agreesWithTheModelUnder } from './contract-generated.ts';
import { namedHostnames, purgesEveryName } from './contract-names.ts';
import { raceHostnames, survivesTheRace } from './contract-race.ts';
import { tenants } from './contract-table.ts';
import { purgesEveryType } from './contract-types.ts';
import type { GeneratedCase } from './generated-case.ts';
import { type QueryMode, queryModes } from './query-modes.ts';

/** As many as a property may have, and some. */
const hostnamesOfOne = 100;

/** What every backend promises of purges, under everything that a property may say of queries. */
export function purgesUnderEveryMode(bench: ConfigBench): void {
  const { refuses } = bench.edge;
  const backend = backends.varnish;
  const started = () => bench.asBench();

  describe.each(queryModes)('Queries: $name', (mode) => {
    const serve = (cases: readonly GeneratedCase[]) => serveUnder(mode, bench, hostnamesOf(cases));
    beforeAll(() => serveUnder(mode, bench, [...tenants, ...namedHostnames, ...raceHostnames]));
    describe('purges every type', () => purgesEveryType(started, backend, mode));
    describe('agrees with the model', () =>
      agreesWithTheModelUnder(mode, started, backend, { refuses, serve }));
    describe.runIf(volume(0, 1))('in full', () => {
      describe('purges every name', () => purgesEveryName(started, backend, refuses, mode));
      describe('wins against fetches in flight', () => survivesTheRace(started, backend));
      describe('holds back fetches', () => holdsBackFetches(started, backend, mode));
    });
  });
}

function hostnamesOf(cases: readonly GeneratedCase[]): readonly string[] {
  const pages = cases.flatMap(({ pages }) => pages.map(({ hostname }) => hostname));
  return [...new Set([...pages, ...cases.flatMap(({ purge }) => purge.hostnames)])];
}

/** Nothing is left of the mode before. */
async function serveUnder(
  { queryString, rules }: QueryMode,
  bench: ConfigBench,
  hostnames: readonly string[],
): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(hostnames.length / hostnamesOfOne) }, (_, index) =>
    hostnames.slice(index * hostnamesOfOne, (index + 1) * hostnamesOfOne),
  );
  await bench.apply(
    chunks.map((chunk) => ({
      propertyId: `purges-${chunk[0]}`,
      hostnames: chunk.map((hostname) => ({ hostname, claimedAt: 1 })),
      cache: { queryString },
      rules,
    })),
  );
  await bench.purge({ hostnames });
}

import { describe } from 'vitest';
import { useBench } from './support/bench.ts';
import { agreesWithTheModel } from './support/contract-generated.ts';
import { purgesEveryName } from './support/contract-names.ts';
import { survivesTheRace } from './support/contract-race.ts';
import { refusesForgeries } from './support/contract-security.ts';
import { storesWhatItMay } from './support/contract-storing.ts';
import { purgesEveryType } from './support/contract-types.ts';
import type { EdgeUnderTest } from './support/edge-under-test.ts';

/** What every backend of the driver promises, tried on a running edge with an origin behind it. */
export function describeDriverContract(backend: EdgeUnderTest): void {
  describe(backend.name, () => {
    const bench = useBench(backend);
    describe('purges every type', () => purgesEveryType(bench));
    describe('purges every name', () => purgesEveryName(bench));
    describe('agrees with the model', () => agreesWithTheModel(bench));
    describe('wins against fetches in flight', () => survivesTheRace(bench));
    describe('obeys nobody else', () => refusesForgeries(bench));
    describe('stores what it may', () => storesWhatItMay(bench));
  });
}

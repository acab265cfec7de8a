import { describe } from 'vitest';
import { backends } from '../../../shared/edge/backends.ts';
import { type Bench, useBench } from './support/bench.ts';
import { holdsBackFetches } from './support/contract-fetches.ts';
import { refusesForgeries } from './support/contract-forgeries.ts';
import { agreesWithTheModel } from './support/contract-generated.ts';
import { purgesEveryName } from './support/contract-names.ts';
import { survivesTheRace } from './support/contract-race.ts';
import { obeysNobodyElse } from './support/contract-security.ts';
import { storesWhatItMay } from './support/contract-storing.ts';
import { purgesEveryType } from './support/contract-types.ts';
import { keepsVisitorsApart } from './support/contract-visitors.ts';
import type { BackendUnderTest } from './support/edge-under-test.ts';

/** What every backend promises, as far as it says that it can do it, tried on a running edge with an origin behind it. */
export function describeDriverContract(edge: BackendUnderTest): void {
  describe(edge.name, () => {
    const bench = useBench(edge);
    const backend = backends[edge.driver];
    describe('purges every type', () => purgesEveryType(bench, backend));
    describe('purges every name', () => purgesEveryName(bench, backend, edge.refuses));
    describe('agrees with the model', () => agreesWithTheModel(bench, backend, { refuses: edge.refuses }));
    describe('wins against fetches in flight', () => survivesTheRace(bench, backend));
    describe('holds back fetches', () => holdsBackFetches(bench, backend));
    describe('obeys nobody else', () => obeysNobodyElse(bench, backend));
    if (edge.driver === 'varnish') describeOwnKit(bench);
  });
}

/** What the edges of our own protocol promise beside it. */
function describeOwnKit(bench: () => Bench): void {
  describe('refuses forgeries', () => refusesForgeries(bench));
  describe('stores what it may', () => storesWhatItMay(bench));
  describe('keeps visitors apart', () => keepsVisitorsApart(bench));
}

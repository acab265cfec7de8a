import { describe } from 'vitest';
import { agreesWithTheModel } from './support/contract-generated.ts';
import { purgesEveryName } from './support/contract-names.ts';
import { survivesTheRace } from './support/contract-race.ts';
import { refusesForgeries } from './support/contract-security.ts';
import { storesWhatItMay } from './support/contract-storing.ts';
import { purgesEveryType } from './support/contract-types.ts';
import type { EdgeUnderTest } from './support/edge-under-test.ts';

/** What every backend of the driver promises, tried on a running edge with an origin behind it. */
export function describeDriverContract(backend: EdgeUnderTest): void {
  describe(`${backend.name} purges every type`, () => purgesEveryType(backend));
  describe(`${backend.name} purges every name`, () => purgesEveryName(backend));
  describe(`${backend.name} agrees with the model`, () => agreesWithTheModel(backend));
  describe(`${backend.name} wins against fetches in flight`, () => survivesTheRace(backend));
  describe(`${backend.name} obeys nobody else`, () => refusesForgeries(backend));
  describe(`${backend.name} stores what it may`, () => storesWhatItMay(backend));
}

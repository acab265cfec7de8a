import { describe } from 'vitest';
import { volume } from '../../support/volume.ts';
import { describeConfiguredEdge } from './configured-edge-contract.ts';
import { ConfiguredTiers } from './support/configured-tiers.ts';
import { describeNode } from './support/node-kit.ts';
import { passesWhatItDoesNotKnow } from './support/tiers-lag.ts';
import { countsTimeOnce } from './support/tiers-lifetime.ts';
import { passesMessages } from './support/tiers-messages.ts';
import { believesItsEdgesAlone } from './support/tiers-trust.ts';
import { TlsKit } from './support/tls-kit.ts';

describeNode('An edge and its shield', () => {
  const tiers = new ConfiguredTiers(undefined, [], new TlsKit());
  const bench = describeConfiguredEdge(tiers, volume(1_000, 5_000));
  describe('Trust', () => believesItsEdgesAlone(bench, tiers));
  describe('Lag', () => passesWhatItDoesNotKnow(bench, tiers));
  describe('Time', () => countsTimeOnce(bench));
  describe('Messages', () => passesMessages(bench, tiers));
});

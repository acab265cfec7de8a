import { volume } from '../../support/volume.ts';
import { describeConfiguredEdge } from './configured-edge-contract.ts';
import { ConfiguredTiers } from './support/configured-tiers.ts';
import { describeNode } from './support/node-kit.ts';

describeNode('An edge and its shield', () => {
  describeConfiguredEdge(new ConfiguredTiers(), volume(1_000, 5_000));
});

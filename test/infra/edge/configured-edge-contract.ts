import { describe } from 'vitest';
import { volume } from '../../support/volume.ts';
import { type ConfigBench, useConfigBench } from './support/config-bench.ts';
import { keepsWhatItMay } from './support/config-contract-cache.ts';
import { doesWhatRulesTestSays } from './support/config-contract-generated.ts';
import { asksItsOrigin, knowsLoops, servesItsHosts } from './support/config-contract-hosts.ts';
import { obeysNotifications } from './support/config-contract-notifications.ts';
import { purgesUnderEveryMode } from './support/config-contract-purges.ts';
import { reducesQueries } from './support/config-contract-queries.ts';
import { appliesRules } from './support/config-contract-rules.ts';
import type { ConfiguredEdge } from './support/configured-edge.ts';

/**
 * What every edge promises that the API configures.
 * @param cases how many are generated
 * @returns its bench, for what one edge alone is asked
 */
export function describeConfiguredEdge(edge: ConfiguredEdge, cases = volume(1_000, 20_000)): ConfigBench {
  const bench = useConfigBench(edge);
  describe('Hosts', () => servesItsHosts(bench));
  describe('The origin', () => asksItsOrigin(bench));
  describe('Loops', () => knowsLoops(bench));
  describe('What is kept', () => keepsWhatItMay(bench));
  describe('Queries', () => reducesQueries(bench));
  describe('Rules', () => appliesRules(bench));
  describe('Purges', () => purgesUnderEveryMode(bench));
  describe('Notifications', () => obeysNotifications(bench));
  doesWhatRulesTestSays(bench, cases);
  return bench;
}

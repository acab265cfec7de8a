import type { Benchmark, Measured } from './support/benchmark.ts';
import { compareHits, hitUnit, http1Way, startPagesNode } from './support/hit-benchmark.ts';
import { connectTo } from './support/hits.ts';
import { startPlainEdge } from './support/plain-edge.ts';

/**
 * CPU of a hit on a whole node with 20 rules, against that of plain nginx in front of bare Varnish, which are asked for
 * the same.
 */
export const benchmark: Benchmark = { unit: hitUnit, goal: 1.4, run };

async function run(): Promise<Measured> {
  const node = await startPagesNode();
  const plain = await startPlainEdge(node.originUrl);
  const measured = await compareHits(node.ways.plain, http1Way(plain.pids, connectTo(plain.baseUrl)));
  await plain.stop();
  await node.stop();
  return measured;
}

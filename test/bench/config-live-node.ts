import { request } from 'undici';
import { EdgeClient } from '../infra/edge/support/edge-client.ts';
import { startRegisteredNode } from '../infra/edge/support/registered-node.ts';
import { changeUnderLoad, untilStatus } from '../load/node-changes.ts';
import { ApiClient } from '../support/api-client.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { median } from './support/medians.ts';

/** How long after the API's response a change is served by a node under load, against a bare HTTP request to the node. */
export const benchmark: Benchmark = { unit: 'ms', goal: 50, run };

const turns = 10;
const changesInTurn = 10;

function run(): Promise<Measured> {
  return withProgram(async ({ baseUrl, apiKey, propertyId, hostname }) => {
    const node = await startRegisteredNode('node', (token) => ({ api: baseUrl, token }));
    const client = new EdgeClient(node.baseUrl);
    await untilStatus(client, hostname, 200);
    await client.stop();
    const api = new ApiClient(baseUrl, apiKey);
    const [live, bare]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn += 1) {
      const property = { propertyId, hostname };
      const { liveMilliseconds, requests, failed } = await changeUnderLoad(
        api,
        node.baseUrl,
        property,
        changesInTurn,
      );
      if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`);
      live.push(...liveMilliseconds);
      for (let change = 0; change < changesInTurn; change += 1) bare.push(await ask(node.baseUrl, hostname));
    }
    await node.stop();
    return { ours: median(live), other: median(bare) };
  });
}

async function ask(baseUrl: string, hostname: string): Promise<number> {
  const startedAt = performance.now();
  const { body } = await request(baseUrl, { headers: { host: hostname } });
  await body.dump();
  return performance.now() - startedAt;
}

import { EdgeClient } from '../infra/edge/support/edge-client.ts';
import { startRegisteredNode } from '../infra/edge/support/registered-node.ts';
import { changeUnderLoad, untilStatus } from '../load/node-changes.ts';
import { ApiClient } from '../support/api-client.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { median } from './support/medians.ts';

/** How long after the API's response a change is served by a node under load, against a visitor's request to it meanwhile. */
export const benchmark: Benchmark = { unit: 'ms', goal: 50, run };

const changes = 100;

function run(): Promise<Measured> {
  return withProgram(async ({ baseUrl, apiKey, propertyId, hostname }) => {
    const node = await startRegisteredNode('node', (token) => ({ api: baseUrl, token }));
    const client = new EdgeClient(node.baseUrl);
    await untilStatus(client, hostname, 200);
    await client.stop();
    const api = new ApiClient(baseUrl, apiKey);
    const property = { propertyId, hostname };
    const measured = await changeUnderLoad(api, node.baseUrl, property, changes);
    if (measured.failed > 0) throw new Error(`${measured.failed} of ${measured.requests} requests failed`);
    await node.stop();
    return { ours: median(measured.liveMilliseconds), other: median(measured.visitMilliseconds) };
  });
}

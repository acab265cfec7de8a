import { request } from 'undici';
import { EdgeClient } from '../infra/edge/support/edge-client.ts';
import { startRegisteredNode } from '../infra/edge/support/registered-node.ts';
import { changeUnderLoad, untilStatus } from '../load/node-changes.ts';
import { ApiClient } from '../support/api-client.ts';
import { percentile, withProgram } from './run.ts';

/** How long after the API's response a change is served by a node under load, against a bare HTTP request to the node. */
const changes = 100;

await withProgram(async ({ baseUrl, apiKey, propertyId, hostname }) => {
  const node = await startRegisteredNode('node', (token) => ({ api: baseUrl, token }));
  const client = new EdgeClient(node.baseUrl);
  await untilStatus(client, hostname, 200);
  await client.stop();
  const property = { propertyId, hostname };
  const { liveMilliseconds, requests, failed } = await changeUnderLoad(
    new ApiClient(baseUrl, apiKey),
    node.baseUrl,
    property,
    changes,
  );
  const bareMilliseconds: number[] = [];
  for (let turn = 0; turn < changes; turn += 1) {
    const startedAt = performance.now();
    const { body } = await request(node.baseUrl, { headers: { host: hostname } });
    await body.dump();
    bareMilliseconds.push(performance.now() - startedAt);
  }
  const [p50, p99, bare50, bare99] = [liveMilliseconds, bareMilliseconds].flatMap((times) => [
    percentile(times, 0.5),
    percentile(times, 0.99),
  ]) as [number, number, number, number];
  console.log(
    `${changes} changes, served by the node after: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${failed} of ${requests} requests failed`,
  );
  console.log(`a bare HTTP request to it: p50 ${bare50.toFixed(1)} ms, p99 ${bare99.toFixed(1)} ms`);
  console.log(`ratio of the medians: ${(p50 / bare50).toFixed(1)}`);
  await node.stop();
});

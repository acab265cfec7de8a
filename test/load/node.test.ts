import { expect, test } from 'vitest';
import { removeEdge } from '../../shared/edge/edge-table.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { percentile } from '../bench/support/medians.ts';
import { configDocument } from '../infra/edge/support/config-documents.ts';
import { ConfiguredNode } from '../infra/edge/support/configured-node.ts';
import { EdgeClient } from '../infra/edge/support/edge-client.ts';
import { describeNode } from '../infra/edge/support/node-kit.ts';
import { partsOf } from '../infra/edge/support/node-parts.ts';
import { partMemory } from '../infra/edge/support/part-memory.ts';
import { compiledRealisticRules } from '../infra/edge/support/realistic-rules.ts';
import { startRegisteredNode } from '../infra/edge/support/registered-node.ts';
import { TestOrigin } from '../infra/edge/support/test-origin.ts';
import { makeSite } from '../support/edge-log.ts';
import { eventually } from '../support/eventually.ts';
import { startTestRun } from '../support/test-run.ts';
import { changeUnderLoad, untilStatus } from './node-changes.ts';

const changes = 100;
const properties = 10_000;
const visited = 1_000;

/** As many as the API has in a page. */
const pageSize = 100;

describeNode('A real node that the API configures', () => {
  test('serves by each change of a property, and fails no request meanwhile', async () => {
    process.env.ALLOW_PRIVATE_ORIGINS = 'true';
    const run = await startTestRun();
    const origin = new TestOrigin();
    await removeEdge('embedded');
    const node = await startRegisteredNode('node', (token) => ({ api: run.baseUrl, token }));
    const { id: propertyId, host: hostname } = await makeSite(run.api, await origin.start());
    const client = new EdgeClient(node.baseUrl);
    await untilStatus(client, hostname, 200);
    await client.stop();
    const { liveMilliseconds, requests, failed } = await changeUnderLoad(
      run.api,
      node.baseUrl,
      { propertyId, hostname },
      changes,
    );
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((part) => percentile(liveMilliseconds, part));
    console.log(
      `${changes} changes, live on a node after: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${failed} of ${requests} requests failed`,
    );
    expect(failed).toBe(0);
    expect(liveMilliseconds).toHaveLength(changes);
    await node.stop();
    await run.end();
    await origin.stop();
  });

  test('serves 10,000 properties with 20 rules each, from the API, from its disk, and after nginx has ended', async () => {
    const configured = new ConfiguredNode();
    configured.api.pageSize = pageSize;
    const origin = new TestOrigin();
    const url = await origin.start();
    const rules = compiledRealisticRules();
    expect(rules).toHaveLength(20);
    const documentOf = (index: number, version = 1) =>
      configDocument({ propertyId: `site-${index}`, version, origin: { url }, rules });
    for (let index = 0; index < properties; index += 1) configured.api.write(documentOf(index));
    const last = `site-${properties - 1}.example`;
    const took = async (name: string, work: () => Promise<unknown>) => {
      const startedAt = performance.now();
      await work();
      console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
    };
    let client = new EdgeClient('http://127.0.0.1:9');
    await took('start with everything from the API', async () => {
      await configured.start();
      client = new EdgeClient(configured.node.baseUrl);
      await untilStatus(client, last, 200);
    });
    const run = () => configured.node.process.pid ?? 0;
    console.log(`before visits: ${partMemory(run())}`);
    const some = Array.from({ length: visited }, (_, index) => index * (properties / visited));
    const statuses = await inParallel(
      some,
      8,
      async (index) => (await client.ask({ hostname: `site-${index}.example`, target: '/' })).status,
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    console.log(`after ${visited} of them were visited: ${partMemory(run())}`);
    for (const [version, part] of [
      [2, undefined],
      [3, 'agent'],
      [4, 'nginx'],
    ] as const) {
      if (part)
        await took(`${part} killed, and a change applied`, async () => {
          process.kill(partsOf(run()).get(part) ?? 0, 'SIGKILL');
          configured.api.write(documentOf(version, version));
          await eventually(
            async () => {
              await configured.notify().catch(() => undefined);
              return configured.api.applied.get(`site-${version}`);
            },
            (applied) => applied === String(version),
          );
          await untilStatus(client, last, 200);
        });
      await took('a change', () => configured.write(documentOf(properties - 1, version)));
    }
    await client.stop();
    await configured.stop();
    await origin.stop();
  });
});

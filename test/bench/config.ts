import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { AgentHost, type HostedEdge, registerHostedEdge, Witness } from '../load/agent-hosts.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { percentile, withProgram } from './run.ts';

/**
 * How long after the API's response a change is applied on the last of 50 edges, and how long the last of 50 bare HTTP
 * requests to the same processes takes, in turn.
 */
const edgeCount = 50;
const turns = 100;
const limitMilliseconds = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-agents-'));
const witness = new Witness();

function now(): number {
  return performance.timeOrigin + performance.now();
}

await withProgram(async ({ baseUrl, apiKey, propertyId }) => {
  const api = new ApiClient(baseUrl, apiKey);
  const edges: HostedEdge[] = [];
  for (let index = 0; index < edgeCount; index += 1)
    edges.push(await registerHostedEdge(`edge-${index}`, folder));
  const host = new AgentHost(baseUrl, edges, witness, true);
  host.start();

  const untilApplied = (version: number): Promise<readonly number[]> =>
    eventually(
      async () => witness.appliedAt.get(`${propertyId} ${version}`) ?? [],
      ({ length }) => length === edgeCount,
      limitMilliseconds,
    );

  async function change(number: number): Promise<number> {
    const { data, text } = await api.send(`/api/property/${propertyId}`, {
      method: 'PATCH',
      headers: [['X-API-Key', apiKey]],
      body: { cache: { ttlSeconds: 1_000 + number } },
    });
    const respondedAt = now();
    if (!data) throw new Error(text);
    const { version } = (await api.get(`/api/property/${propertyId}/deployment`)).data;
    return Math.max(...(await untilApplied(version))) - respondedAt;
  }

  async function askAll(): Promise<number> {
    const startedAt = now();
    const responses = await Promise.all(edges.map(({ port }) => request(`http://127.0.0.1:${port}/`)));
    await Promise.all(responses.map(({ body }) => body.dump()));
    return now() - startedAt;
  }

  const { version } = (await api.get(`/api/property/${propertyId}/deployment`)).data;
  await untilApplied(version);
  const changes: number[] = [];
  const bare: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    changes.push(await change(turn));
    bare.push(await askAll());
  }
  const [p50, p99, bare50, bare99] = [changes, bare].flatMap((times) => [
    percentile(times, 0.5),
    percentile(times, 0.99),
  ]) as [number, number, number, number];
  console.log(
    `${turns} changes, applied on the last of ${edgeCount} edges after: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
  );
  console.log(
    `a bare HTTP request to each of the ${edgeCount}: p50 ${bare50.toFixed(1)} ms, p99 ${bare99.toFixed(1)} ms`,
  );
  console.log(`ratio of the medians: ${(p50 / bare50).toFixed(1)}`);
  await host.kill();
});
rmSync(folder, { recursive: true, force: true });

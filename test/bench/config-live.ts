import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { AgentHost, type HostedEdge, registerHostedEdge, Witness } from '../load/agent-hosts.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { Demo } from '../support/program.ts';
import { now } from '../support/unix-time.ts';
import type { Benchmark, Measured } from './support/benchmark.ts';
import { withProgram } from './support/local-run.ts';
import { interleaved } from './support/medians.ts';

/**
 * How long after the API's response a change is applied on the last of 50 edges, against the last response to a bare HTTP
 * request to each of the same processes.
 */
export const benchmark: Benchmark = { unit: 'ms', goal: 50, run };

const edgeCount = 50;
const turns = 100;
const limitMilliseconds = 120_000;

function run(): Promise<Measured> {
  return withProgram(async (demo) => {
    const folder = mkdtempSync(join(tmpdir(), 'cdn-management-agents-'));
    const edges: HostedEdge[] = [];
    for (let index = 0; index < edgeCount; index += 1)
      edges.push(await registerHostedEdge(`edge-${index}`, folder));
    const witness = new Witness();
    const host = new AgentHost(demo.baseUrl, edges, witness, true);
    host.start();
    const changes = new Changes(demo, witness);
    await changes.untilApplied(await changes.version());
    const measured = await interleaved(
      turns,
      (turn) => changes.change(2_000 + turn),
      () => askAll(edges),
    );
    await host.kill();
    rmSync(folder, { recursive: true, force: true });
    return measured;
  });
}

async function askAll(edges: readonly HostedEdge[]): Promise<number> {
  const startedAt = now();
  const responses = await Promise.all(edges.map(({ port }) => request(`http://127.0.0.1:${port}/`)));
  await Promise.all(responses.map(({ body }) => body.dump()));
  return now() - startedAt;
}

/** Changes of the demo's property, and when each is applied everywhere. */
class Changes {
  private readonly api: ApiClient;
  private readonly path: string;
  private readonly propertyId: string;
  private readonly witness: Witness;

  constructor({ baseUrl, apiKey, propertyId }: Demo, witness: Witness) {
    this.api = new ApiClient(baseUrl, apiKey);
    this.propertyId = propertyId;
    this.path = `/api/property/${propertyId}`;
    this.witness = witness;
  }

  async version(): Promise<number> {
    return (await this.api.get(`${this.path}/deployment`)).data.version;
  }

  untilApplied(version: number): Promise<readonly number[]> {
    return eventually(
      async () => this.witness.appliedAt.get(`${this.propertyId} ${version}`) ?? [],
      ({ length }) => length === edgeCount,
      limitMilliseconds,
    );
  }

  /** How long it takes until the last edge has it. */
  async change(ttlSeconds: number): Promise<number> {
    const { data, text } = await this.api.send(this.path, {
      method: 'PATCH',
      headers: [['X-API-Key', this.api.key]],
      body: { cache: { ttlSeconds } },
    });
    const respondedAt = now();
    if (!data) throw new Error(text);
    return Math.max(...(await this.untilApplied(await this.version()))) - respondedAt;
  }
}

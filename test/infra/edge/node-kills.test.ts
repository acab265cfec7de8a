import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { processTree } from '../../support/process-tree.ts';
import { volume } from '../../support/volume.ts';
import { configDocument } from './support/config-documents.ts';
import { useConfiguredNode } from './support/configured-node.ts';
import { KillLoad } from './support/kill-load.ts';
import { describeNode } from './support/node-kit.ts';
import { isAlive, type NodePart, nodeParts, partsOf } from './support/node-parts.ts';
import { TestOrigin } from './support/test-origin.ts';

const hostname = 'kills.example';
const kills = volume(1, 50);
const limitMilliseconds = 20_000;

function workingFolderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

describeNode('A node whose parts are killed under load', () => {
  const configured = useConfiguredNode();
  const origin = new TestOrigin();
  let url = '';
  let version = 0;
  let run = 0;
  let pages = 0;
  beforeAll(async () => {
    url = await origin.start();
    run = configured.node.process.pid ?? 0;
    await configured.write(nextDocument());
  });
  afterAll(() => origin.stop());

  /** Its version is what each response then says. */
  function nextDocument() {
    version += 1;
    const value = String(version);
    const actions = [{ type: 'setResponseHeader', name: 'X-Version', value }] as const;
    const rule = { id: 'rule', name: 'Rule', match: 'all', conditions: [], actions, isFinal: false } as const;
    return configDocument({ propertyId: 'kills', version, origin: { url }, rules: [rule] });
  }

  /** The API tells a node again that does not respond. */
  async function isTold(): Promise<boolean> {
    return (await configured.notify().catch(() => 0)) === 200;
  }

  /** The version by which the node serves what it must ask the origin for. */
  async function versionServed(): Promise<string> {
    pages += 1;
    try {
      const { statusCode, headers, body } = await request(`${configured.node.baseUrl}/new/${pages}`, {
        headers: { host: hostname },
      });
      await body.dump();
      return statusCode === 200 ? String(headers['x-version']) : String(statusCode);
    } catch (error) {
      return String(error);
    }
  }

  /** @returns how long it took the node to be whole again, with what was changed meanwhile */
  async function kill(part: NodePart): Promise<number> {
    const killed = partsOf(run).get(part) ?? 0;
    expect([part, killed]).not.toEqual([part, 0]);
    const startedAt = performance.now();
    process.kill(killed, 'SIGKILL');
    return untilServed(startedAt, () => !isAlive(killed) && partsOf(run).size === nodeParts.length);
  }

  async function untilServed(startedAt: number, isWhole: () => boolean): Promise<number> {
    configured.api.write(nextDocument());
    let tells = false;
    await eventually(
      async () => {
        tells ||= await isTold();
        return isWhole() ? versionServed() : 'not whole';
      },
      (served) => tells && served === String(version),
      limitMilliseconds,
    );
    return performance.now() - startedAt;
  }

  /** What a folder or a process holds on to, of which no kill may leave more. */
  function remains(): readonly string[] {
    const { dir } = configured.node;
    const own = new Set(processTree(run));
    const orphans = readdirSync('/proc').filter(
      (pid) => !own.has(Number(pid)) && workingFolderOf(pid) === dir,
    );
    // A node that is started anew names the log's file anew.
    const files = readdirSync(dir).filter((name) => !name.startsWith('access.log.'));
    return [...files.map((name) => name.replace(/\.\d+\.\d+$/, '')), ...orphans].sort();
  }

  async function underLoad(name: string, work: () => Promise<number>): Promise<KillLoad> {
    const before = remains();
    const load = new KillLoad(configured.node, origin, hostname);
    const times: number[] = [];
    for (let number = 0; number < kills; number += 1) times.push(await work());
    await load.end();
    expect(remains()).toEqual(before);
    const [median = 0, longest = 0] = [0.5, 1].map(
      (part) => times.sort((a, b) => a - b)[Math.ceil(kills * part) - 1],
    );
    console.log(
      `${name} killed ${kills} times: back after ${median.toFixed(0)} ms, at most ${longest.toFixed(0)} ms; ${load.failed} of ${load.requests} requests failed, ${load.purges} purges, ${load.stale} stale`,
    );
    return load;
  }

  test.each(nodeParts)(
    '%s: it comes back, with nothing stale and what was changed meanwhile',
    async (part) => {
      const { stale, purges } = await underLoad(part, () => kill(part));
      expect(stale).toBe(0);
      expect(purges).toBeGreaterThan(0);
    },
  );

  test('run: all of it ends, and a new start serves', async () => {
    const { spawnfile, spawnargs } = configured.node.process;
    const { stale } = await underLoad('run', async () => {
      const processes = processTree(run);
      const startedAt = performance.now();
      process.kill(run, 'SIGKILL');
      await eventually(
        async () => processes.filter(isAlive),
        ({ length }) => length === 0,
      );
      const child = spawn(spawnfile, spawnargs.slice(1), { stdio: 'inherit' });
      run = child.pid ?? 0;
      return untilServed(startedAt, () => partsOf(run).size === nodeParts.length);
    });
    expect(stale).toBe(0);
    process.kill(run, 'SIGTERM');
    await eventually(
      async () => isAlive(run),
      (alive) => !alive,
    );
  });
});

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inParallel } from '../../shared/ground/parallel.ts';
import { changesAfter, shardCount } from '../../shared/property/config-change-table.ts';
import { TcpProxy } from '../infra/edge/support/tcp-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { AgentHost, registerHostedEdge, Witness } from './agent-hosts.ts';

/** `npm run test:load` has 20 agents, `npm run test:config-agents` has 50. */
const isWhole = process.env.CONFIG_AGENTS === 'all';
const [hostCount, edgesOfHost] = isWhole ? [10, 5] : [5, 4];
const propertyCount = isWhole ? 1_000 : 100;
const changeCount = isWhole ? 200 : 100;
const deletedEvery = 20;
const concurrency = 4;
const killedEveryMilliseconds = 400;
const awayMilliseconds = 1_000;
const syncMilliseconds = 240_000;
/** Longer than the longest time between two polls. */
const pollMilliseconds = 90_000;

/** A property as the test has left it. */
interface Site {
  readonly id: string;
  version: number;
  ttlSeconds: number;
  rule?: { readonly id: string; value: number };
  isDeleted: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'cdn-management-agents-'));
const witness = new Witness();
/** What a property's document holds at each version. */
const expected = new Map<string, string | null>();
let run: TestRun;
let proxy: TcpProxy;
let hosts: AgentHost[];
let sites: readonly Site[];
let edgeIds: readonly string[];

beforeAll(async () => {
  run = await startTestRun();
  proxy = new TcpProxy(run.baseUrl);
  await proxy.open();
  sites = await inParallel(
    Array.from({ length: propertyCount }, (_, index) => index),
    8,
    makeSite,
  );
  const hosted = await Promise.all(
    Array.from({ length: hostCount }, (_, host) =>
      Promise.all(
        Array.from({ length: edgesOfHost }, (_, index) =>
          registerHostedEdge(`edge-${host}-${index}`, folder),
        ),
      ),
    ),
  );
  edgeIds = hosted.flat().map(({ id }) => id);
  hosts = hosted.map((edges) => new AgentHost(proxy.url, edges, witness));
  for (const host of hosts) host.start();
});
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.kill()));
  await proxy.cut();
  await run.end();
  rmSync(folder, { recursive: true, force: true });
});

async function makeSite(index: number): Promise<Site> {
  const body = {
    name: `Site ${index}`,
    hostnames: [`site-${index}.example.com`],
    origin: { url: 'http://127.0.0.1:1' },
    cache: { ttlSeconds: 0 },
  };
  const { id } = (await run.api.post('/api/property', body)).data;
  return noted({ id, version: 1, ttlSeconds: 0, isDeleted: false });
}

function noted(site: Site): Site {
  const content = [site.ttlSeconds, ...(site.rule ? [site.rule.value] : [])].join(' ');
  expected.set(`${site.id} ${site.version}`, site.isDeleted ? null : content);
  return site;
}

async function send(method: string, path: string, body?: object): Promise<string> {
  const headers = [['X-API-Key', run.api.key]] as const;
  const { status, data, text } = await run.api.send(path, { method, headers, ...(body && { body }) });
  expect(status, text).toBeLessThan(300);
  return data.id;
}

/** In turn a rule comes, the property changes, the rule changes; now and then the property goes. */
async function change(site: Site, number: number): Promise<void> {
  const path = `/api/property/${site.id}`;
  const actions = [{ type: 'setResponseHeader', name: 'X-Number', value: `${number}` }];
  if (site.isDeleted) return;
  site.version += 1;
  if (number % deletedEvery === deletedEvery - 1) {
    site.isDeleted = true;
    await send('DELETE', path);
  } else if (!site.rule) {
    site.rule = {
      id: await send('POST', `${path}/rules`, { name: 'Number', conditions: [], actions }),
      value: number,
    };
  } else if (Math.floor(number / concurrency) % 2 === 0) {
    site.ttlSeconds = number;
    await send('PATCH', path, { cache: { ttlSeconds: number } });
  } else {
    site.rule.value = number;
    await send('PATCH', `${path}/rules/${site.rule.id}`, { actions });
  }
  noted(site);
}

/** Each of some at a time has properties of its own, so that it knows what its changes make of them. */
async function changeAtRandom(): Promise<void> {
  const lanes = Array.from({ length: concurrency }, (_, lane) => lane);
  await inParallel(lanes, concurrency, async (lane) => {
    const own = sites.filter((_, index) => index % concurrency === lane);
    for (let number = lane; number < changeCount; number += concurrency) {
      const site = own[Math.floor(Math.random() * own.length)];
      if (site) await change(site, number);
    }
  });
}

/** Until it is told to stop: kills a host after another, and cuts the way to the API now and then. */
async function harass(signal: AbortSignal): Promise<{ kills: number; cuts: number }> {
  const done = { kills: 0, cuts: 0 };
  for (let turn = 0; !signal.aborted; turn += 1) {
    const host = hosts[turn % hosts.length];
    await host?.kill();
    host?.start();
    done.kills += 1;
    await sleep(killedEveryMilliseconds);
    if (turn % 4 !== 1) continue;
    await proxy.cut();
    await sleep(awayMilliseconds);
    await proxy.open();
    done.cuts += 1;
  }
  return done;
}

function digestOf(versions: Iterable<readonly [string, number]>): string {
  const lines = [...versions].map(([id, version]) => `${id} ${version}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** The version of each property that is there, as the database has it. */
async function storedVersions(): Promise<ReadonlyMap<string, number>> {
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  const rows = (await Promise.all(shards.map((shard) => changesAfter(shard, 0)))).flat();
  return new Map(rows.filter(({ isDeleted }) => !isDeleted).map(({ id, version }) => [id, version]));
}

/** Until the digest of every edge is that of the database. */
async function untilAllHold(limitMilliseconds: number): Promise<void> {
  const stored = await storedVersions();
  const digest = digestOf(stored);
  const differences = (id: string): readonly string[] => {
    const held = witness.held.get(id) ?? new Map<string, number>();
    if (digestOf(held) === digest) return [];
    const ids = [...new Set([...stored.keys(), ...held.keys()])];
    const different = ids.filter((propertyId) => held.get(propertyId) !== stored.get(propertyId));
    return different.map((propertyId) => `${id} has ${propertyId} ${held.get(propertyId)}`);
  };
  await eventually(
    async () => edgeIds.flatMap(differences).slice(0, 20),
    ({ length }) => length === 0,
    limitMilliseconds,
  );
}

test('agents killed, the API away, notifications lost, twice and late: every edge comes to what is stored', async () => {
  const startedAt = Date.now();
  await untilAllHold(syncMilliseconds);
  const syncSeconds = (Date.now() - startedAt) / 1000;
  const ended = new AbortController();
  const harassed = harass(ended.signal);
  await changeAtRandom();
  await sleep(killedEveryMilliseconds * hostCount);
  ended.abort();
  const { kills, cuts } = await harassed;
  for (const host of hosts) host.behaveWell();
  const last = sites.find(({ isDeleted }) => !isDeleted);
  if (!last) throw new Error('no property is left');
  await change(last, changeCount);
  await untilAllHold(pollMilliseconds);
  const { data } = await eventually(
    () => run.api.get(`/api/property/${last.id}/deployment`),
    (response) => response.data.status === 'live',
    pollMilliseconds,
  );
  const mixed = [...witness.contents].filter(
    ([name, contents]) =>
      expected.has(name) && (contents.size > 1 || !contents.has(expected.get(name) ?? null)),
  );
  console.log(
    `${edgeIds.length} agents, ${propertyCount} properties, ${changeCount} changes, ${witness.applied} versions applied; ${kills} kills, ${cuts} times without the API, notifications ${JSON.stringify(witness.troubles)}; mixed ${mixed.length}, backwards ${witness.backwards}, every digest is that of the database; first sync of all in ${syncSeconds} s`,
  );
  expect([mixed, witness.backwards]).toEqual([[], 0]);
  expect(data.version).toBe(last.version);
  expect(data.edges.map(({ id, version }: { id: string; version: number }) => `${id} ${version}`)).toEqual(
    expect.arrayContaining(edgeIds.map((id) => `${id} ${last.version}`)),
  );
  expect(
    Math.min(kills, cuts, ...['lost', 'twice', 'late'].map((name) => witness.troubles[name] ?? 0)),
  ).toBeGreaterThan(0);
});

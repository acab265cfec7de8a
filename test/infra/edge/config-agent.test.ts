import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigChange } from '../../../infra/edge/agent/config-agent.d.mts';
import { ConfigAgent } from '../../../infra/edge/agent/config-agent.mjs';
import type { ConfigDocument } from '../../../shared/edge-config/document.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { ConfigApi } from './support/config-api.ts';
import { configDocument } from './support/config-documents.ts';

/** Each moment costs a process. */
const everyMoment = volume(4, 1);

/** What a server has been handed, and in which calls. */
class Server {
  readonly documents = new Map<string, ConfigDocument>();
  readonly calls: string[][] = [];
  readonly wentBack: string[] = [];

  apply = (changes: readonly ConfigChange[]): void => {
    this.calls.push(
      changes.map(({ propertyId, version, document }) => `${propertyId}:${document ? version : 'gone'}`),
    );
    for (const { propertyId, version, document } of changes) {
      if ((this.documents.get(propertyId)?.version ?? 0) > version) this.wentBack.push(propertyId);
      if (document) this.documents.set(propertyId, document);
      else this.documents.delete(propertyId);
    }
  };
}

let folder: string;
let dir: string;
let api: ConfigApi;
let url: string;
let server: Server;
let errors: string[];
let agents: ConfigAgent[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cdn-config-agent-'));
  dir = join(folder, 'edge');
  api = new ConfigApi();
  url = await api.start();
  errors = [];
  agents = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Begins with what is on disk, as after any end of the one before. */
function startAgent(directory = dir): ConfigAgent {
  server = new Server();
  const agent = new ConfigAgent({
    dir: directory,
    api: url,
    token: () => api.token,
    keys: 'h,u,p,t,r',
    apply: server.apply,
    onError: ({ message }) => errors.push(message),
  });
  void agent.start();
  agents.push(agent);
  return agent;
}

function write(propertyId: string, version: number, change: Partial<ConfigDocument> = {}): void {
  api.write(configDocument({ propertyId, version, ...change }));
}

/** Five properties, over three pages. */
function writeFive(version = 1): void {
  for (const propertyId of ['a', 'b', 'c', 'd', 'e']) write(propertyId, version);
}

function documentFiles(directory = dir): readonly string[] {
  return readdirSync(join(directory, 'documents')).sort();
}

test('page after page is handed over in one call each, reported, and served after a restart without the API', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  expect(server.calls).toEqual([['a:1', 'b:1'], ['c:1', 'd:1'], ['e:1']]);
  expect(Object.fromEntries(api.applied)).toEqual({ a: '1', b: '1', c: '1', d: '1', e: '1' });
  await agent.stop();
  api.isAway = true;
  startAgent();
  expect(server.documents).toEqual(api.documents());
});

test('a poll that finds nothing and has nothing to tell is one request without a report', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  const before = api.requests;
  await agent.poll();
  expect([api.requests - before, api.reports.at(-1)]).toEqual([1, undefined]);
});

test('what has changed and what was deleted is handed over together, in its newest version', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  write('a', 2);
  write('a', 3, { status: 'paused' });
  api.delete('b');
  await agent.poll();
  expect(server.calls.at(-1)).toEqual(['a:3', 'b:gone']);
  expect([server.documents, documentFiles()]).toEqual([
    api.documents(),
    ['a.json', 'c.json', 'd.json', 'e.json'],
  ]);
  expect([api.applied.get('a'), api.applied.get('b')]).toEqual(['3', '2']);
});

test('many notifications during a poll are one more poll, and never two at once', async () => {
  const held = Promise.withResolvers<void>();
  const agent = startAgent();
  await agent.poll();
  const before = api.requests;
  api.before = () => held.promise;
  const first = agent.poll();
  await eventually(
    async () => api.requests,
    (requests) => requests > before,
  );
  write('late', 1);
  const more = Array.from({ length: 20 }, () => agent.poll());
  held.resolve();
  await Promise.all([first, ...more]);
  expect(server.documents.has('late')).toBe(true);
  expect([api.requests - before, api.mostAtOnce]).toEqual([3, 1]);
});

test('an API that is away, or refuses, is asked again until it responds, and what is served stays', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  const before = server.documents.size;
  api.isAway = true;
  write('a', 2);
  await agent.poll();
  api.isAway = false;
  api.status = 401;
  await agent.poll();
  expect([server.documents.size, server.documents.get('a')?.version]).toEqual([before, 1]);
  expect(errors).toEqual([
    expect.stringMatching(/^the API cannot be reached: /),
    'the API responded with 401: No.',
  ]);
  api.status = 200;
  await eventually(
    async () => server.documents.get('a')?.version,
    (version) => version === 2,
  );
});

test('a document that cannot be read is refused and reported, and the one before stays, over a restart too', async () => {
  write('a', 1);
  const agent = startAgent();
  await agent.poll();
  const odd: object = { ...configDocument({ propertyId: 'a', version: 2 }), status: 'sleeping' };
  api.write(odd as ConfigDocument);
  write('b', 1);
  await agent.poll();
  expect([server.documents.get('a')?.version, server.documents.get('b')?.version]).toEqual([1, 1]);
  expect([api.applied.get('a'), api.applied.get('b')]).toEqual(['2:unreadable', '1']);
  expect(errors).toEqual(['the document of property a is refused: status is not understood']);
  await agent.stop();
  startAgent();
  expect(server.documents.get('a')?.version).toBe(1);
});

test('on a full disk a change is applied and reported as not kept, and kept when there is room', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  write('a', 2);
  api.before = async () => fillDisk('a');
  await agent.poll();
  expect([server.documents.get('a')?.version, api.applied.get('a')]).toEqual([2, '2:unsaved']);
  expect(errors).toEqual([expect.stringMatching(/^the document of property a is not kept: ENOSPC/)]);
  await agent.stop();
  api.before = async () => undefined;
  const next = startAgent();
  await next.poll();
  expect([server.documents.get('a')?.version, api.applied.get('a')]).toEqual([2, '2']);
  await next.stop();
  startAgent();
  expect(server.documents).toEqual(api.documents());
});

test('a change that the disk did not take is not passed over when a later one is kept', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  write('a', 2);
  api.before = async () => fillDisk('a');
  await agent.poll();
  write('b', 2);
  await agent.poll();
  await agent.stop();
  api.before = async () => undefined;
  await startAgent().poll();
  expect([server.documents, server.wentBack]).toEqual([api.documents(), []]);
});

test('a whole sync drops at its end what it did not name, and nothing before', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  api.beginAnew(['b']);
  const seen: boolean[] = [];
  api.before = async () => seen.push(server.documents.has('b'));
  await agent.poll();
  expect([seen.slice(0, 2), server.documents.has('b'), documentFiles().includes('b.json')]).toEqual([
    [true, true],
    false,
    false,
  ]);
  expect(server.documents).toEqual(api.documents());
});

test('a whole sync that begins anew drops what only its first beginning had named', async () => {
  writeFive();
  const agent = startAgent();
  await agent.poll();
  api.beginAnew();
  const from = api.requests;
  api.before = async () => {
    if (api.requests === from + 2) api.beginAnew(['a']);
  };
  await agent.poll();
  expect(server.documents.has('a')).toBe(false);
  expect(server.documents).toEqual(api.documents());
});

test('after a restore of the database an edge takes the lower version that it has', async () => {
  write('a', 5);
  const agent = startAgent();
  await agent.poll();
  api.beginAnew();
  write('a', 3);
  await agent.poll();
  expect(server.documents).toEqual(api.documents());
});

test('a restart in the middle of a whole sync drops nothing that was named before it', async () => {
  writeFive();
  const first = startAgent();
  const cut = Promise.withResolvers<void>();
  api.before = async () => {
    if (api.requests > 1) cut.resolve();
    if (api.requests > 1) await stopped.promise;
  };
  const stopped = Promise.withResolvers<void>();
  await cut.promise;
  await first.stop();
  expect(server.calls).toEqual([['a:1', 'b:1']]);
  api.before = async () => undefined;
  stopped.resolve();
  await startAgent().poll();
  expect([server.documents, documentFiles()]).toEqual([
    api.documents(),
    ['a.json', 'b.json', 'c.json', 'd.json', 'e.json'],
  ]);
});

test('a version never goes back, whatever the API sends', async () => {
  write('a', 5);
  const agent = startAgent();
  await agent.poll();
  write('a', 4);
  await agent.poll();
  expect([server.documents.get('a')?.version, server.wentBack]).toEqual([5, []]);
});

test('what is broken on the disk is said, and asked for again', async () => {
  writeFive();
  await startAgent().poll();
  await agents[0]?.stop();
  writeFileSync(join(dir, 'documents', 'c.json'), '{"propertyId":"c"');
  await startAgent().poll();
  expect(errors).toEqual([expect.stringMatching(/c\.json cannot be read: /)]);
  expect(server.documents).toEqual(api.documents());
});

test('killed at any moment of its work on the disk it loses nothing, and no version goes back', async () => {
  writeFive();
  await startAgent().poll();
  await agents[0]?.stop();
  const before = new Map(api.documents());
  for (const id of ['a', 'c']) write(id, 2);
  api.delete('b');
  write('f', 1, { hostnames: [{ hostname: 'b.example', claimedAt: 2 }] });
  let kills = 0;
  const liveOn = async (killAt: number) => {
    const copy = join(folder, `killed-${killAt}`);
    cpSync(dir, copy, { recursive: true });
    const { isKilled, applied, steps } = await runMortal(copy, killAt);
    if (isKilled) kills += 1;
    const files = new Map(
      documentFiles(copy)
        .filter((name) => name.endsWith('.json'))
        .map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(copy, 'documents', name), 'utf8'))]),
    );
    const older = applied.filter(
      ([id, version]) => (files.get(id)?.version ?? (id === 'b' ? 9 : 0)) < (version ?? 0),
    );
    expect(older).toEqual([]);
    for (const [id, file] of files) expect([before.get(id), api.documents().get(id)]).toContainEqual(file);
    const loaded = new Server();
    const agent = new ConfigAgent({
      dir: copy,
      api: url,
      token: () => api.token,
      keys: 'h',
      apply: loaded.apply,
    });
    agent.start();
    await agent.poll();
    await agent.stop();
    expect([killAt, loaded.documents, loaded.wentBack]).toEqual([killAt, api.documents(), []]);
    return { steps };
  };
  const { steps = 0 } = await liveOn(0);
  expect(steps).toBeGreaterThan(30);
  const moments = Array.from({ length: steps }, (_, index) => index + 1).filter(
    (moment) => moment % everyMoment === 0,
  );
  await inParallel(moments, 4, liveOn);
  expect(kills).toBe(moments.length);
});

type Handed = readonly (readonly [propertyId: string, version: number | null])[];

/** @returns what the agent had handed over when it ended, and how many steps a life without a kill has */
async function runMortal(directory: string, killAt: number) {
  const child = spawn(
    process.execPath,
    ['test/infra/edge/support/mortal-agent.mjs', directory, url, String(killAt)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const signal = await new Promise<string | null>((resolve) => child.once('close', (_, by) => resolve(by)));
  const lines = output.split('\n').filter((line) => line !== '');
  const said: readonly (Handed | { readonly steps: number })[] = lines.map((line) => JSON.parse(line));
  const last = said.at(-1);
  return {
    isKilled: signal === 'SIGKILL',
    applied: said.flatMap((line) => ('steps' in line ? [] : line)),
    steps: last && 'steps' in last ? last.steps : undefined,
  };
}

/** What is written of this document meets a full disk; the agent removes what it could not write. */
function fillDisk(propertyId: string): void {
  const next = join(dir, 'documents', `${propertyId}.json.next`);
  rmSync(next, { force: true });
  symlinkSync('/dev/full', next);
}

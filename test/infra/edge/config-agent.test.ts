import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConfigAgentOptions, ConfigChange, Refusal } from '../../../infra/edge/agent/config-agent.d.mts';
import { ConfigAgent } from '../../../infra/edge/agent/config-agent.mjs';
import { NginxMemory } from '../../../infra/edge/agent/nginx-memory.mjs';
import type { ConfigDocument } from '../../../shared/edge-config/document.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import type { CompiledRule } from '../../../shared/rule/compiled-rule.ts';
import { eventually } from '../../support/eventually.ts';
import { volume } from '../../support/volume.ts';
import { ConfigApi } from './support/config-api.ts';
import { configDocument } from './support/config-documents.ts';
import { FakeNginx } from './support/fake-nginx.ts';

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
function startAgent(directory = dir, options: Partial<ConfigAgentOptions> = {}): ConfigAgent {
  server = new Server();
  const agent = new ConfigAgent({
    dir: directory,
    api: url,
    token: () => api.token,
    keys: 'h,u,p,t,r',
    apply: server.apply,
    onError: ({ message }) => errors.push(message),
    ...options,
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

function unreadable(propertyId: string, version: number): ConfigDocument {
  const odd: object = { ...configDocument({ propertyId, version }), status: 'sleeping' };
  return odd as ConfigDocument;
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

test('a server that takes its time is waited for before anything is reported, and gets one page after the other', async () => {
  writeFive();
  const taken = Promise.withResolvers<readonly Refusal[]>();
  const calls: string[] = [];
  const agent = new ConfigAgent({
    dir,
    api: url,
    token: () => api.token,
    keys: 'h,u,p,t,r',
    apply: (changes) => {
      calls.push(changes.map(({ propertyId }) => propertyId).join());
      return taken.promise;
    },
    onReady: () => void calls.push('ready'),
  });
  agents.push(agent);
  const first = agent.start();
  await eventually(
    async () => calls.length,
    (length) => length > 0,
  );
  expect([calls, api.applied.size]).toEqual([['a,b'], 0]);
  taken.resolve([]);
  await first;
  expect(calls).toEqual(['a,b', 'c,d', 'e', 'ready']);
  expect(api.applied.size).toBe(5);
  await agent.handOverAll();
  expect(calls.slice(4)).toEqual([expect.stringMatching(/^(?:[a-e],?){5}$/), 'ready']);
});

test('what a server has no room for is not reported, and handed over again with each poll, over a restart too', async () => {
  writeFive();
  let room = 3;
  const has = new Set<string>();
  const start = () => {
    has.clear();
    const agent = new ConfigAgent({
      dir,
      api: url,
      token: () => api.token,
      keys: 'h,u,p,t,r',
      apply: async (changes) => {
        for (const { propertyId } of changes) if (has.size < room) has.add(propertyId);
        const left = changes.filter(({ propertyId }) => !has.has(propertyId));
        return left.map(({ propertyId }) => ({ propertyId, fault: 'noRoom' }) as const);
      },
    });
    agents.push(agent);
    return agent;
  };
  const agent = start();
  await agent.start();
  expect([has.size, [...api.applied.keys()].sort()]).toEqual([3, [...has].sort()]);
  await agent.poll();
  expect(api.applied.size).toBe(3);
  await agent.stop();
  const next = start();
  await next.start();
  expect([has.size, api.applied.size]).toEqual([3, 3]);
  room = 5;
  await next.poll();
  expect([has.size, api.applied.size]).toEqual([5, 5]);
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
  api.write(unreadable('a', 2));
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

test('what is broken on the disk is said, and asked for again; what the API does not have is removed', async () => {
  writeFive();
  await startAgent().poll();
  await agents[0]?.stop();
  writeFileSync(join(dir, 'documents', 'c.json'), '{"propertyId":"c"');
  writeFileSync(join(dir, 'documents', 'z.json'), '{"propertyId":"z"');
  const agent = startAgent();
  server.documents.set('z', configDocument({ propertyId: 'z' }));
  await agent.poll();
  expect(errors.sort()).toEqual(
    ['c', 'z'].map((id) => expect.stringContaining(`${id}.json cannot be read: `)),
  );
  expect([server.documents, documentFiles().includes('z.json')]).toEqual([api.documents(), false]);
  await agent.stop();
  const before = api.requests;
  await startAgent().poll();
  // Two polls of one request each.
  expect([api.requests - before, errors.length]).toEqual([2, 2]);
});

test('a file that breaks while there is no room for its document is asked for again, and nothing is removed', async () => {
  writeFive();
  let isFull = true;
  const gone: string[] = [];
  const agent = startAgent(dir, {
    async apply(changes) {
      server.apply(changes);
      gone.push(...changes.filter(({ document }) => document === null).map(({ propertyId }) => propertyId));
      const full = changes.filter(({ propertyId }) => isFull && propertyId === 'c');
      return full.map(({ propertyId }) => ({ propertyId, fault: 'noRoom' }));
    },
  });
  await agent.poll();
  writeFileSync(join(dir, 'documents', 'c.json'), '{');
  isFull = false;
  await agent.poll();
  expect([gone, api.applied.get('c'), documentFiles()]).toEqual([
    [],
    '1',
    ['a.json', 'b.json', 'c.json', 'd.json', 'e.json'],
  ]);
});

test('a document that was refused is asked for again by the next agent, which may understand it', async () => {
  writeFive();
  const first = startAgent();
  await first.poll();
  api.write(unreadable('a', 2));
  await first.poll();
  await first.stop();
  const readable = configDocument({ propertyId: 'a', version: 2, status: 'paused' });
  api.replaceSilently(readable);
  const next = startAgent();
  await next.poll();
  expect([server.documents.get('a'), api.applied.get('a')]).toEqual([readable, '2']);
  await next.stop();
  const before = api.requests;
  await startAgent().poll();
  // Two polls of one request each.
  expect(api.requests - before).toBe(2);
});

test('a server knows what is on disk at once while what was refused is asked for again', async () => {
  writeFive();
  const first = startAgent();
  await first.poll();
  api.write(unreadable('a', 2));
  await first.poll();
  await first.stop();
  api.isAway = true;
  let ready = 0;
  const onReady = () => {
    ready += 1;
  };
  await startAgent(dir, { onReady }).poll();
  expect([ready, server.documents.size, server.documents.get('a')?.version]).toEqual([1, 5, 1]);
});

test('a document that the server cannot serve is reported as unreadable, and the one before stays, over a restart too', async () => {
  writeFive();
  const options = {
    async apply(changes: readonly ConfigChange[]) {
      const [odd, right] = [true, false].map((is) =>
        changes.filter(({ document }) => (document?.status === 'paused') === is),
      );
      server.apply(right ?? []);
      return (odd ?? []).map(({ propertyId }) => ({ propertyId, fault: 'unreadable' }) as const);
    },
  };
  const agent = startAgent(dir, options);
  await agent.poll();
  write('a', 2, { status: 'paused' });
  write('new', 1, { status: 'paused' });
  await agent.poll();
  expect([api.applied.get('a'), api.applied.get('new')]).toEqual(['2:unreadable', '1:unreadable']);
  await agent.stop();
  expect(documentFiles().includes('new.json')).toBe(false);
  api.isAway = true;
  await startAgent(dir, options).poll();
  expect([server.documents.get('a')?.version, server.documents.has('new')]).toEqual([1, false]);
});

test('a server that fails at the end of a whole sync loses what the sync has not named, and nothing else', async () => {
  writeFive();
  let failures = 0;
  const agent = startAgent(dir, {
    async apply(changes) {
      failures -= 1;
      if (failures === 0) throw new Error('full');
      server.apply(changes);
      return [];
    },
  });
  await agent.poll();
  api.beginAnew(['b']);
  // Of the two pages the second.
  failures = 2;
  await agent.poll();
  await agent.poll();
  expect([server.documents, errors]).toEqual([api.documents(), ['full']]);
  const gone = server.calls.flat().filter((call) => call.endsWith('gone'));
  expect(gone).toEqual(['b:gone']);
});

test('a server that is started anew while it gets everything is not called ready before it has everything', async () => {
  writeFive();
  await startAgent().poll();
  await agents[0]?.stop();
  const handed: string[] = [];
  let isNew = true;
  const agent = startAgent(dir, {
    onBegin: () => void handed.push('begin'),
    async apply(changes) {
      await undefined;
      handed.push(...changes.map(({ propertyId }) => propertyId));
      if (isNew) void agent.handOverAll();
      isNew = false;
      return [];
    },
    onReady: () => void handed.push('ready'),
  });
  await agent.poll();
  await agent.poll();
  const five = ['a', 'b', 'c', 'd', 'e'];
  const [first, second] = [handed.slice(1, 6), handed.slice(7, 12)].map((ids) => ids.sort());
  expect([handed[0], first, handed[6], second, handed.slice(12)]).toEqual([
    'begin',
    five,
    'begin',
    five,
    ['ready'],
  ]);
});

/** So large that two of them make more than a chunk. */
const largeRule = {
  id: 'rule',
  name: 'x'.repeat(200_000),
  match: 'all',
  conditions: [],
  actions: [],
  isFinal: false,
} as const;

test('an nginx that is started anew at any moment is not called ready before it has everything', async () => {
  for (const propertyId of ['a', 'b', 'c']) write(propertyId, 1, { rules: [largeRule] });
  await startAgent().poll();
  await agents[0]?.stop();
  api.isAway = true;
  // A post for each document, and one that says that these are all.
  await inParallel([1, 2, 3, 4], 4, async (moment) => {
    const copy = join(folder, `moment-${moment}`);
    cpSync(dir, copy, { recursive: true });
    const socket = join(copy, 'config.sock');
    const second = new FakeNginx();
    const first = new FakeNginx(() => {
      if (first.posts.length < moment) return 204;
      first.stop();
      void second.start(socket);
      return undefined;
    });
    await first.start(socket);
    const memory = new NginxMemory(socket, () => undefined);
    const agent = startAgent(copy, {
      onBegin: () => memory.begin(),
      apply: (changes) => memory.apply(changes),
      onReady: () => memory.ready(),
    });
    await eventually(async () => second.hadWhenReady, Boolean);
    expect([moment, first.posts.length, second.hadWhenReady?.size]).toEqual([moment, moment, 3]);
    await agent.stop();
    second.stop();
  });
});

test('a host name that moves comes to its new property before nginx takes it from the old one, and deletions are last', async () => {
  const nginx = new FakeNginx();
  const socket = join(folder, 'config.sock');
  await nginx.start(socket);
  const claims = { old: 1, new: 9, other: 5 };
  const changes = Object.entries(claims).map(([propertyId, claimedAt]) => {
    const hostnames = [{ hostname: `${propertyId}.example`, claimedAt }];
    return {
      propertyId,
      version: 2,
      document: configDocument({ propertyId, hostnames, rules: [largeRule] }),
    };
  });
  const gone = { propertyId: 'gone', version: 2, document: null };
  const none = {
    propertyId: 'none',
    version: 2,
    document: configDocument({ propertyId: 'none', hostnames: [] }),
  };
  expect(await new NginxMemory(socket, () => undefined).apply([gone, none, ...changes])).toEqual([]);
  expect(nginx.posts.flat()).toEqual(['new', 'other', 'old', 'none', 'gone']);
  nginx.stop();
});

test('what nginx refuses of many changes is found out one by one, and why', async () => {
  const statuses: Readonly<Record<string, number>> = { odd: 422, large: 507 };
  const nginx = new FakeNginx((changes) =>
    Math.max(204, ...changes.map(({ propertyId }) => statuses[propertyId] ?? 204)),
  );
  const socket = join(folder, 'config.sock');
  await nginx.start(socket);
  const ids = ['a', 'odd', 'b', 'large'];
  const changes = ids.map((propertyId) => ({
    propertyId,
    version: 1,
    document: configDocument({ propertyId }),
  }));
  const said: string[] = [];
  const memory = new NginxMemory(socket, ({ message }) => said.push(message));
  expect(await memory.apply(changes)).toEqual([
    { propertyId: 'odd', fault: 'unreadable' },
    { propertyId: 'large', fault: 'noRoom' },
  ]);
  expect([...nginx.has]).toEqual(['a', 'b']);
  expect(said).toEqual(['odd', 'large'].map((id) => `nginx does not take property ${id}: not so`));
  nginx.stop();
});

const notUnderstood: readonly (readonly [Partial<ConfigDocument>, string])[] = [
  [{ origin: { url: 'http:a.example' } }, 'origin'],
  [{ origin: { url: 'HTTP://a.example' } }, 'origin'],
  [{ origin: { url: 'http://user@a.example' } }, 'origin'],
  [{ origin: { url: 'http://a.example?query' } }, 'origin'],
  [{ rules: [ruleOf({ field: 'path', operator: 'equals', values: [] })] }, 'rules'],
];

test.each(notUnderstood)('a document with %o is refused', async (change, part) => {
  write('a', 1, change);
  await startAgent().poll();
  expect(errors).toEqual([`the document of property a is refused: ${part} is not understood`]);
  expect(api.applied.get('a')).toBe('1:unreadable');
});

test.each(['http://a.example', 'https://a.example:8443/base/', 'http://[2001:db8::1]:81'])(
  'a document whose origin is %s is understood',
  async (address) => {
    write('a', 1, { origin: { url: address } });
    await startAgent().poll();
    expect(server.documents.has('a')).toBe(true);
  },
);

function ruleOf(condition: CompiledRule['conditions'][number]): CompiledRule {
  return { ...largeRule, name: 'Rule', conditions: [condition] };
}

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

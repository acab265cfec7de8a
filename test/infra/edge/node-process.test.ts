import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../infra/local/host/listen.ts';
import { varnish as driver } from '../../../shared/edge/varnish.ts';
import { eventually } from '../../support/eventually.ts';
import { processTree } from '../../support/process-tree.ts';
import { secret, useBench } from './support/bench.ts';
import { configDocument } from './support/config-documents.ts';
import { useConfiguredNode } from './support/configured-node.ts';
import { EdgeClient, type EdgeResponse } from './support/edge-client.ts';
import { freeLowPort } from './support/listen.ts';
import { listeningAddresses } from './support/listening.ts';
import { describeNode, nodeFolder, type RunningNode, startNode } from './support/node-kit.ts';
import { isAlive, type NodePart, partsOf } from './support/node-parts.ts';
import { TestOrigin } from './support/test-origin.ts';

const hostname = 'process.example';
const isRoot = process.getuid?.() === 0;
const all = { type: 'all', soft: false, hostnames: [hostname], values: [] } as const;

/** Kills a part, and waits until another one is in its place. */
async function kill(node: RunningNode, name: NodePart): Promise<void> {
  const run = node.process.pid ?? 0;
  const before = new Set(processTree(run));
  const pidOf = () => partsOf(run).get(name);
  process.kill(pidOf() ?? 0, 'SIGKILL');
  await eventually(
    async () => pidOf(),
    (pid) => pid !== undefined && !before.has(pid),
  );
}

/** Sends SIGHUP; @returns what `run` says of it */
async function reload(node: RunningNode): Promise<string> {
  const before = node.output().length;
  node.process.kill('SIGHUP');
  const said = /^run: .* read again.*$/m;
  const output = await eventually(
    async () => node.output().slice(before),
    (text) => said.test(text),
  );
  return said.exec(output)?.[0] ?? '';
}

const isReadAgain = 'run: secret, token and configuration are read again';

describeNode('The processes that a node’s run starts', () => {
  let node: RunningNode;
  const bench = useBench({
    name: 'The edge node',
    async start(backend, key) {
      node = await startNode({ backend }, key, {
        flags: ['--tag-header', 'Cache-Tag', '--purge-from', '127.0.0.1'],
      });
      return node;
    },
  });
  const pid = (): number => node.process.pid ?? 0;

  test('listen where they were told to, and nowhere else', () => {
    const port = Number(new URL(node.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
    expect(listeningAddresses(pid())).toEqual([`0100007F:${port}`]);
  });

  test('tell nobody the secret, and take it without the newline at its end', async () => {
    await driver.check(node.edge);
    await bench().purge(all);
    const told = processTree(pid()).flatMap((process) =>
      ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${process}/${name}`, 'latin1')),
    );
    const logs = globSync(`${node.dir}/_.vsm_child/_.Log*`).map((log) => readFileSync(log, 'latin1'));
    expect(logs).toHaveLength(1);
    for (const text of [...told, ...logs, node.output()]) expect(text.includes(secret)).toBe(false);
  });

  test('keep their directory, the secret and the configuration to themselves', () => {
    const names = ['', '/secret', '/edge.vcl', '/nginx.conf', '/haproxy.cfg'];
    const modes = names.map((name) => statSync(node.dir + name).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
    const isOthers = (name: string) => (statSync(`${node.dir}/${name}`).mode & 0o077) !== 0;
    const files = globSync('**', { cwd: node.dir, exclude: ['vmod_cache/**', '**/vgc.so', '*.sock'] });
    expect(files.filter(isOthers)).toEqual([]);
  });

  test('give what is on its way to visitors a limit of memory, as what is stored', () => {
    const args = ['-n', node.dir, '-1', '-f', 'SMA.*.g_space'];
    const room = execFileSync('varnishstat', args, { encoding: 'utf8' });
    expect(room).toMatch(/^SMA\.s0\.g_space +6\d{7} /m);
    expect(room).toMatch(/^SMA\.Transient\.g_space +26\d{7} /m);
  });

  test('let no thread of Varnish interrupt nginx', () => {
    const child = String(partsOf(pid()).get('varnishd’s child'));
    const told = execFileSync('chrt', ['--all-tasks', '--pid', child], { encoding: 'utf8' });
    const policies = told.match(/SCHED_\w+/g) ?? [];
    expect(policies.length).toBeGreaterThan(100);
    expect(new Set(policies)).toEqual(new Set(['SCHED_BATCH']));
  });

  test('read tags from the header they were told', async () => {
    const ask = { hostname, target: '/', wish: { headers: { 'cache-tag': 'a', 'surrogate-key': 'b' } } };
    await bench().client.ask(ask);
    expect(await bench().purge({ ...all, type: 'tag', values: ['b'] })).toEqual({ removed: 0 });
    expect(await bench().purge({ ...all, type: 'tag', values: ['a'] })).toEqual({ removed: 1 });
  });

  test('are started again when one is killed, and only Varnish’s end empties the cache', async () => {
    const ask = { hostname, target: '/killed' };
    const restart = async (name: NodePart) => {
      await kill(node, name);
      await eventually(
        async () =>
          (
            await bench()
              .client.ask(ask)
              .catch(() => undefined)
          )?.status,
        (status) => status === 200,
      );
    };
    await bench().client.ask(ask);
    for (const name of ['nginx', 'haproxy'] as const) {
      await restart(name);
      expect([name, await bench().client.isHit(ask)]).toEqual([name, true]);
    }
    const { epoch } = bench().origin;
    bench().origin.epoch += 1;
    await restart('varnishd');
    expect(await bench().client.epoch(ask)).toBe(epoch + 1);
    expect(node.output()).toMatch(/^run: nginx has ended \(SIGKILL\) and is started again$/m);
  });

  test.runIf(isRoot)('write through no link that the serving user lays into their directory', async () => {
    const others = mkdtempSync(join(tmpdir(), 'cdn-edge-others-'));
    const file = join(others, 'file');
    writeFileSync(file, 'of root');
    symlinkSync(file, join(node.dir, 'nginx.conf.next'));
    expect(await reload(node)).toBe(isReadAgain);
    rmSync(join(node.dir, 'agent'), { recursive: true });
    symlinkSync(others, join(node.dir, 'agent'));
    expect(await reload(node)).toMatch(/^run: nothing is read again: EACCES/);
    unlinkSync(join(node.dir, 'agent'));
    expect(await reload(node)).toBe(isReadAgain);
    expect([readFileSync(file, 'utf8'), statSync(file).uid]).toEqual(['of root', 0]);
    rmSync(others, { recursive: true });
  });

  test('keep the secret that they have where the new one is none', async () => {
    writeFileSync(node.secretFile, '\n');
    node.process.kill('SIGHUP');
    await eventually(
      async () => node.output(),
      (output) => /^run: nothing is read again: the secret file .* is empty$/m.test(output),
    );
    expect(await driver.check(node.edge).then(...outcome)).toBe(true);
  });

  test('take the new secret by SIGHUP, and the old one no more', async () => {
    const other = `another ${secret}`;
    writeFileSync(node.secretFile, `${other}\n`);
    node.process.kill('SIGHUP');
    await eventually(
      () => driver.check({ ...node.edge, secret: other }).then(...outcome),
      (isTaken) => isTaken,
    );
    await expect(driver.check(node.edge)).rejects.toMatchObject({ message: expect.stringContaining('401') });
  });

  test('take a SIGHUP that comes while they start when they have started', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'cdn-edge-test-'));
    const listen = ['--listen', `127.0.0.1:${await freePort()}`, '--backend', 'http://127.0.0.1:9'];
    const secretFile = `${dir}.secret`;
    writeFileSync(secretFile, secret);
    const child = spawn(`${nodeFolder}/run`, [...listen, '--secret-file', secretFile, '--dir', dir]);
    const lines: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    await eventually(async () => existsSync(join(dir, 'edge.vcl')), Boolean);
    writeFileSync(secretFile, `another ${secret}`);
    child.kill('SIGHUP');
    await eventually(
      async () => lines.join(''),
      (output) => output.includes('read again'),
    );
    expect(lines.join('')).toContain(isReadAgain);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    for (const path of [dir, secretFile]) rmSync(path, { recursive: true });
  });

  test('end by SIGTERM within seconds, with exit 0, and nothing is left', async () => {
    const other = await startNode({ backend: 'http://127.0.0.1:9' }, secret);
    const processes = processTree(other.process.pid ?? 0);
    const ended = once(other.process, 'exit');
    const before = Date.now();
    other.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(processes.filter(isAlive)).toEqual([]);
    await other.stop();
  });

  test('end too when run itself is killed', async () => {
    const other = await startNode({ backend: 'http://127.0.0.1:9' }, secret);
    const processes = processTree(other.process.pid ?? 0);
    other.process.kill('SIGKILL');
    await eventually(
      async () => processes.filter(isAlive),
      (alive) => alive.length === 0,
    );
    await other.stop();
  });
});

const outcome = [() => true, () => false] as const;

/** Where nginx ends idle connections no client can know whether its request has come through. */
const alone = { headers: { connection: 'close' } };

describeNode('A node whose program is replaced while it serves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cdn-edge-kit-'));
  chmodSync(folder, 0o700);
  let node: RunningNode;
  const bench = useBench({
    name: 'The edge node',
    async start(backend, key) {
      for (const name of ['agent', 'node'])
        cpSync(join('infra/edge', name), join(folder, name), { recursive: true });
      node = await startNode({ backend }, key, { kit: join(folder, 'node') });
      return node;
    },
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const replace = (name: string, text: string, by: string) => {
    const file = join(folder, 'node', name);
    const before = readFileSync(file, 'utf8');
    expect(before).toContain(text);
    writeFileSync(file, before.replace(text, by));
  };

  test('answers by the new one after SIGHUP, with the cache that it had, and no request fails', async () => {
    const ask = { hostname, target: '/upgraded' };
    await bench().client.ask(ask);
    replace(
      'nginx/nginx.conf',
      'server_tokens off;',
      'server_tokens off; add_header X-New-Nginx yes always;',
    );
    replace(
      'varnish/edge.vcl',
      'set resp.http.X-Cache = "HIT";',
      'set resp.http.X-Cache = "HIT"; set resp.http.X-New-Vcl = "yes";',
    );
    replace(
      'haproxy/haproxy.cfg',
      'frontend varnish\n',
      'frontend varnish\n  http-response set-header X-New-Haproxy yes\n',
    );
    const seen: EdgeResponse[] = [];
    const see = async (target: string) => {
      const response = await bench().client.ask({ hostname, target, ...alone });
      seen.push(response);
      return response.headers;
    };
    node.process.kill('SIGHUP');
    await eventually(
      async () => ({ ...(await see(`/fresh/${seen.length}`)), ...(await see(ask.target)) }),
      (headers) => ['x-new-nginx', 'x-new-vcl', 'x-new-haproxy'].every((name) => name in headers),
    );
    expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200));
    expect(await bench().client.epoch(ask)).toBe(bench().origin.epoch);
    expect(await bench().client.isHit(ask)).toBe(true);
  });

  test.each([
    ['varnish/edge.vcl', 'vcl 4.1;', 'vcl 4.1; sub', 'varnishd'],
    ['nginx/visit.lua', 'local visit = {', "require 'nothing'\nlocal visit = {", 'nginx'],
    ['haproxy/haproxy.cfg', 'mode http', 'mode post', 'haproxy'],
  ])('keeps what it has where the new %s is broken', async (name, text, broken, program) => {
    replace(name, text, broken);
    expect(await reload(node)).toMatch(
      RegExp(`^run: nothing is read again: ${program} refuses the configuration: `),
    );
    expect((await bench().client.ask({ hostname, target: `/broken/${program}` })).status).toBe(200);
    const file = name.replace('nginx/', 'lua/').replace(/^(?:varnish|haproxy)\//, '');
    expect(readFileSync(join(node.dir, file), 'utf8')).not.toContain(broken);
    replace(name, broken, text);
  });

  test('stays as it was where Varnish alone refuses the new one, and takes all of it with the next that is right', async () => {
    const refused = '\nsub vcl_init { return (fail("not now")); }\n';
    const headers = async (target: string) => {
      const response = await bench()
        .client.ask({ hostname, target, ...alone })
        .catch(() => undefined);
      return ['x-new-nginx', 'x-new-haproxy'].map((name) => response?.headers[name]);
    };
    replace('varnish/edge.vcl', 'vcl 4.1;', `vcl 4.1;${refused}`);
    replace('nginx/nginx.conf', 'X-New-Nginx yes', 'X-New-Nginx again');
    replace('haproxy/haproxy.cfg', 'X-New-Haproxy yes', 'X-New-Haproxy again');
    expect(await reload(node)).toMatch(/^run: nothing is read again: .*not now/);
    expect(await headers('/refused')).toEqual(['yes', 'yes']);
    for (const name of ['varnishd', 'nginx', 'haproxy'] as const) await kill(node, name);
    await eventually(
      () => headers('/killed'),
      (values) => values.every((value) => value !== undefined),
    );
    expect(await headers('/killed')).toEqual(['yes', 'yes']);
    replace('varnish/edge.vcl', refused, '');
    expect(await reload(node)).toBe(isReadAgain);
    let asked = 0;
    await eventually(
      () => {
        asked += 1;
        return headers(`/right/${asked}`);
      },
      (values) => values.every((value) => value === 'again'),
    );
  });
});

describeNode('A node that others may purge', () => {
  const flags = ['--purge-from', '10.0.0.0/8', '--purge-from', '::1'];
  const bench = useBench({
    name: 'The edge node',
    start: (backend, key) => startNode({ backend }, key, { flags }),
  });

  test('refuses this address, whatever its signature', async () => {
    await expect(bench().purge(all)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('403'),
    });
  });

  test('serves it all the same', async () => {
    expect((await bench().client.ask({ hostname, target: '/' })).status).toBe(200);
  });
});

describeNode('A node whose origin is away', () => {
  const bench = useBench({
    name: 'The edge node',
    start: (_, key) => startNode({ backend: 'http://127.0.0.1:9' }, key),
  });

  test('responds with 502, stores nothing and still takes purges', async () => {
    for (const _ of [1, 2]) {
      const { status, isHit, headers, body } = await bench().client.ask({ hostname, target: '/' });
      expect([status, isHit, headers['x-varnish'], body.trim()]).toEqual([
        502,
        false,
        undefined,
        'The origin is away.',
      ]);
    }
    expect(await bench().purge(all)).toEqual({ removed: 0 });
  });
});

describeNode('A node that the API configures', () => {
  const configured = useConfiguredNode();
  let client: EdgeClient;
  let origin: TestOrigin;
  let url = '';
  beforeAll(async () => {
    origin = new TestOrigin();
    url = await origin.start();
    client = new EdgeClient(configured.node.baseUrl);
  });
  afterAll(async () => {
    await client.stop();
    await origin.stop();
  });
  const write = (propertyId: string, version: number, status: 'active' | 'paused' = 'active') =>
    configured.write(configDocument({ propertyId, version, status, origin: { url } }));
  const statusOf = async (name: string) =>
    (await client.ask({ hostname: `${name}.example`, target: '/' }).catch(() => undefined))?.status;

  test('serves what the API has, from the moment at which it says so', async () => {
    expect(await statusOf('one')).toBe(404);
    await write('one', 1);
    await write('two', 1);
    expect([await statusOf('one'), await statusOf('two')]).toEqual([200, 200]);
    await write('one', 2, 'paused');
    expect([await statusOf('one'), await statusOf('two')]).toEqual([503, 200]);
  });

  test('takes the word “poll now” of the API alone', async () => {
    expect(await configured.notify('once')).toBe(200);
    expect(await configured.notify('forged', 'another secret of sixteen')).toBe(401);
  });

  test('has everything again when nginx or the agent was killed while the API is away', async () => {
    configured.api.isAway = true;
    for (const name of ['nginx', 'agent'] as const) {
      await kill(configured.node, name);
      const statuses = async () => [await statusOf('one'), await statusOf('two')];
      await eventually(statuses, ([, two]) => two === 200);
      expect([name, await statuses()]).toEqual([name, [503, 200]]);
    }
    configured.api.isAway = false;
    await write('two', 2, 'paused');
    expect(await statusOf('two')).toBe(503);
  });

  test('knows every site from the moment at which it serves again, when nginx is killed while it gets them', async () => {
    const actions = [{ type: 'redirect', location: '/', status: 302 }] as const;
    const rule = {
      id: 'rule',
      name: 'x'.repeat(60_000),
      match: 'all',
      conditions: [],
      actions,
      isFinal: true,
    } as const;
    const sites = Array.from({ length: 200 }, (_, number) => `site-${number}`);
    configured.api.pageSize = 50;
    for (const propertyId of sites)
      configured.api.write(configDocument({ propertyId, version: 1, rules: [rule] }));
    await configured.notify();
    await eventually(
      async () => sites.filter((id) => configured.api.applied.has(id)).length,
      (applied) => applied === sites.length,
    );
    const seen: (number | undefined)[] = [];
    const visitor = new AbortController();
    const visits = (async () => {
      for (let number = 0; !visitor.signal.aborted; number += 7)
        seen.push(await statusOf(sites[number % sites.length] ?? ''));
    })();
    const served = () => seen.filter((status) => status === 302).length;
    let cut = 0;
    for (const pause of [200, 350, 500]) {
      await kill(configured.node, 'nginx');
      const before = served();
      await sleep(pause);
      if (served() === before) cut += 1;
    }
    await kill(configured.node, 'nginx');
    const before = served();
    await eventually(
      async () => served(),
      (now) => now > before + sites.length,
    );
    visitor.abort();
    await visits;
    expect(seen.filter((status) => status === 404)).toEqual([]);
    expect(cut).toBeGreaterThan(0);
  });

  test('starts a part that ends at once no more than twice a second, and it comes back', async () => {
    const state = join(configured.node.dir, 'config', 'state.json');
    const ends = () => configured.node.output().split('run: agent has ended').length - 1;
    const before = ends();
    await eventually(async () => existsSync(state), Boolean);
    rmSync(state);
    mkdirSync(state);
    process.kill(partsOf(configured.node.process.pid ?? 0).get('agent') ?? 0, 'SIGKILL');
    const startedAt = performance.now();
    await eventually(
      async () => ends(),
      (count) => count >= before + 4,
    );
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    rmSync(state, { recursive: true });
    await eventually(
      () => configured.notify().catch(() => 0),
      (status) => status === 200,
    );
  });

  test('says nothing of a site before it knows which there are', async () => {
    const other = await startNode({ api: 'http://127.0.0.1:9', token: 'token' }, secret);
    const { statusCode, headers, body } = await request(other.baseUrl, { headers: { host: 'one.example' } });
    await body.dump();
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    await other.stop();
  });
});

describeNode('The access log of a node', () => {
  const fileBytes = 20_000;
  const bench = useBench({
    name: 'The edge node',
    async start(backend, key) {
      node = await startNode({ backend }, key, {
        port: isRoot ? await freeLowPort() : await freePort(),
        environment: { EDGE_LOG_FILE_BYTES: String(fileBytes) },
      });
      return node;
    },
  });
  let node: RunningNode;

  /** The oldest first. */
  const files = () => globSync(`${node.dir}/access.log.*`).sort();

  /** Of whole lines, without the node's own requests. */
  const targetsIn = (paths: string[]) =>
    paths
      .flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1))
      .map((line): string => JSON.parse(line).u)
      .filter((target) => target !== '*');

  test('loses and doubles no line while its files change and nginx is read again', async () => {
    const asked: string[] = [];
    const ask = async () => {
      const target = `/${asked.length}`;
      asked.push(target);
      await bench().client.ask({ hostname, target, ...alone });
    };
    while (files().length < 5) {
      await Promise.all(Array.from({ length: 50 }, ask));
      if (files().length % 2 === 0) node.process.kill('SIGHUP');
    }
    const targets = await eventually(
      async () => targetsIn(files()),
      (written) => written.length > asked.length,
    );
    expect(targets.sort()).toEqual(['/', ...asked].sort());
    const full = files().slice(0, -1);
    expect(full.filter((path) => statSync(path).size < fileBytes)).toEqual([]);
  });

  test('gives a file a name that has none, whatever has happened to it', async () => {
    const [newest = ''] = files().slice(-1);
    unlinkSync(newest);
    await eventually(
      async () => files().at(-1) ?? newest,
      (name) => name > newest,
    );
    await bench().client.ask({ hostname, target: '/named' });
    // nginx writes its line after the response.
    await eventually(
      async () => targetsIn(files().slice(-1)),
      (targets) => targets.includes('/named'),
    );
  });
});

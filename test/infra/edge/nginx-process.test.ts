import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drivers } from '../../../shared/edge/drivers.ts';
import { eventually } from '../../support/eventually.ts';
import { secret, useBench } from './support/bench.ts';
import { EdgeClient } from './support/edge-client.ts';
import type { RunningKit } from './support/edge-kit.ts';
import { listeningAddresses, processTree } from './support/listening.ts';
import { describeNginx, nginxKit, startNginx } from './support/nginx-kit.ts';

const hostname = 'process.example';
const url = { type: 'url', soft: false, hostnames: [hostname], values: ['/'] } as const;

describeNginx('The process that the nginx kit’s run starts', () => {
  let nginx: RunningKit;
  const bench = useBench({
    name: 'nginx',
    async start(origin, key) {
      nginx = await startNginx(origin, key, {
        flags: ['--tag-header', 'Cache-Tag', '--purge-from', '127.0.0.1'],
      });
      return nginx;
    },
  });
  const pid = (): number => nginx.process.pid ?? 0;

  test('listens where it was told to, and nowhere else', () => {
    const port = Number(new URL(nginx.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
    expect(listeningAddresses(pid())).toEqual([`0100007F:${port}`]);
  });

  test('tells nobody the secret, and takes it without the newline at its end', async () => {
    await drivers.nginx.check(nginx.edge);
    await bench().purge(url);
    await expect(drivers.nginx.check({ ...nginx.edge, secret: 'guess' })).rejects.toThrow('401');
    const told = processTree(pid()).flatMap((process) =>
      ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${process}/${name}`, 'latin1')),
    );
    const log = readFileSync(`${nginx.dir}/access.log`, 'latin1');
    for (const text of [...told, log, nginx.output()]) expect(text.includes(secret)).toBe(false);
  });

  test('keeps its directory and all that is in it to itself', async () => {
    await bench().client.ask({ hostname, target: '/stored' });
    const names = globSync('**', { cwd: nginx.dir });
    expect(names).toEqual(expect.arrayContaining(['access.log', 'cache', 'edge.conf', 'guard', 'secret']));
    for (const name of ['.', ...names]) {
      expect([name, statSync(`${nginx.dir}/${name}`).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('hides the tags, under the name that it was told, from browsers', async () => {
    const ask = { hostname, target: '/tags', wish: { headers: { 'cache-tag': 'a', 'surrogate-key': 'b' } } };
    for (const _ of [1, 2]) {
      const { headers } = await bench().client.ask(ask);
      expect([headers['cache-tag'], headers['surrogate-key']]).toEqual([undefined, 'b']);
    }
  });

  test('ends by SIGTERM, with exit 0', async () => {
    const other = await startNginx('http://127.0.0.1:9', secret);
    const ended = once(other.process, 'exit');
    other.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await other.stop();
  });
});

describeNginx('What the nginx kit logs', () => {
  let nginx: RunningKit;
  const bench = useBench({
    name: 'nginx',
    async start(origin, key) {
      nginx = await startNginx(origin, key);
      return nginx;
    },
  });
  /** Without those of its start. */
  const lines = async () =>
    readFileSync(`${nginx.dir}/access.log`, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.includes('TRACE'));

  test('is one object of JSON for each request but purges', async () => {
    const odd = { hostname, target: '/a"b\\c?<' };
    for (const _ of [1, 2]) await bench().client.ask({ hostname, target: '/?b&a' });
    await bench().client.ask({ ...odd, headers: { cookie: 'a=b' } });
    await bench().purge(url);
    await bench().client.ask({ hostname: 'PROCESS.example:80', target: '/', method: 'POST' });
    const written = await eventually(lines, ({ length }) => length === 4);
    const common = { ts: expect.any(Number), h: hostname, s: 200, b: expect.any(Number) };
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { ...common, m: 'GET', u: '/?b&a', c: 'MISS' },
      { ...common, m: 'GET', u: '/?b&a', c: 'HIT' },
      { ...common, m: 'GET', u: odd.target, c: '' },
      { ...common, m: 'POST', u: '/', c: '' },
    ]);
    expect(written.map((line) => Object.keys(JSON.parse(line)).join(' '))).toEqual(
      Array(4).fill('ts h m u s b c'),
    );
  });
});

describeNginx('An nginx edge that others may purge', () => {
  const flags = ['--purge-from', '10.0.0.0/8', '--purge-from', '::1'];
  const bench = useBench({ name: 'nginx', start: (origin, key) => startNginx(origin, key, { flags }) });

  test('refuses this address, whatever its signature', async () => {
    await expect(bench().purge(url)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('403'),
    });
  });

  test('serves it all the same', async () => {
    expect((await bench().client.ask({ hostname, target: '/' })).status).toBe(200);
  });
});

describeNginx('An nginx edge that is started again', () => {
  const bench = useBench(nginxKit);

  test('has forgotten what it stored, because nobody knows what was purged since then', async () => {
    const page = { hostname, target: '/' };
    const dir = mkdtempSync(join(tmpdir(), 'cdn-edge-again-'));
    const hits: boolean[] = [];
    for (const _ of [1, 2]) {
      const nginx = await startNginx(bench().running.baseUrl, secret, { flags: ['--dir', dir] });
      const client = new EdgeClient(nginx.baseUrl);
      hits.push(await client.isHit(page), await client.isHit(page));
      await client.stop();
      await nginx.stop();
    }
    rmSync(dir, { recursive: true });
    expect(hits).toEqual([false, true, false, true]);
  });
});

describeNginx('An nginx edge whose origin is away', () => {
  const bench = useBench({ name: 'nginx', start: (_, key) => startNginx('http://127.0.0.1:9', key) });

  test('answers 503, stores nothing and still takes purges', async () => {
    for (const _ of [1, 2]) {
      const { status, isHit, body } = await bench().client.ask({ hostname, target: '/' });
      expect([status, isHit, body]).toEqual([503, false, 'The origin is away.']);
    }
    expect(await bench().purge(url)).toEqual({ removed: 0 });
  });
});

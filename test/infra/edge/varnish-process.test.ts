import { once } from 'node:events';
import { globSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { varnish as driver } from '../../../shared/edge/varnish.ts';
import { processTree } from '../../support/process-tree.ts';
import { secret, useBench } from './support/bench.ts';
import { listeningAddresses } from './support/listening.ts';
import { describeVarnish, type RunningKit, startVarnish } from './support/varnish-kit.ts';

const hostname = 'process.example';
const all = { type: 'all', soft: false, hostnames: [hostname], values: [] } as const;

describeVarnish('The process that the kit’s run starts', () => {
  let varnish: RunningKit;
  const bench = useBench({
    name: 'Varnish',
    async start(origin, key) {
      varnish = await startVarnish(origin, key, {
        flags: ['--tag-header', 'Cache-Tag', '--purge-from', '127.0.0.1'],
      });
      return varnish;
    },
  });
  const pid = (): number => varnish.process.pid ?? 0;

  test('listens where it was told to, and nowhere else', () => {
    const port = Number(new URL(varnish.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
    expect(listeningAddresses(pid())).toEqual([`0100007F:${port}`]);
  });

  test('tells nobody the secret, and takes it without the newline at its end', async () => {
    await driver.check(varnish.edge);
    await bench().purge(all);
    const told = processTree(pid()).flatMap((process) =>
      ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${process}/${name}`, 'latin1')),
    );
    const logs = globSync(`${varnish.dir}/_.vsm_child/_.Log*`).map((log) => readFileSync(log, 'latin1'));
    expect(logs).toHaveLength(1);
    for (const text of [...told, ...logs, varnish.output()]) expect(text.includes(secret)).toBe(false);
  });

  test('keeps its directory, the secret and the configuration to itself', () => {
    const modes = ['', '/secret', '/edge.vcl'].map((name) => statSync(varnish.dir + name).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    for (const name of globSync('**', { cwd: varnish.dir, exclude: ['vmod_cache/**', '**/vgc.so'] })) {
      expect([name, statSync(`${varnish.dir}/${name}`).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('reads tags from the header it was told', async () => {
    const ask = { hostname, target: '/', wish: { headers: { 'cache-tag': 'a', 'surrogate-key': 'b' } } };
    await bench().client.ask(ask);
    expect(await bench().purge({ ...all, type: 'tag', values: ['b'] })).toEqual({ removed: 0 });
    expect(await bench().purge({ ...all, type: 'tag', values: ['a'] })).toEqual({ removed: 1 });
  });

  test('ends by SIGTERM within seconds, with exit 0', async () => {
    const other = await startVarnish('http://127.0.0.1:9', secret);
    const ended = once(other.process, 'exit');
    const before = Date.now();
    other.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(Date.now() - before).toBeLessThan(5_000);
    await other.stop();
  });
});

describeVarnish('An edge that others may purge', () => {
  const flags = ['--purge-from', '10.0.0.0/8', '--purge-from', '::1'];
  const bench = useBench({ name: 'Varnish', start: (origin, key) => startVarnish(origin, key, { flags }) });

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

describeVarnish('An edge whose origin is away', () => {
  const bench = useBench({ name: 'Varnish', start: (_, key) => startVarnish('http://127.0.0.1:9', key) });

  test('responds with 503, stores nothing and still takes purges', async () => {
    for (const _ of [1, 2]) {
      const { status, isHit, headers, body } = await bench().client.ask({ hostname, target: '/' });
      expect([status, isHit, headers['x-varnish'], body]).toEqual([
        503,
        false,
        undefined,
        'The origin is away.',
      ]);
    }
    expect(await bench().purge(all)).toEqual({ removed: 0 });
  });
});

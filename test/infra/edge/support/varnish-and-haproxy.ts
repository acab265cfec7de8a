import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { eventually } from '../../../support/eventually.ts';
import { haproxyConfiguration, type TemplateValues, vcl } from './filled-templates.ts';

export const purgeSecret = 'a secret of sixteen characters or more';

// As infra/edge/node/run starts it.
const parameters = [
  ['workspace_backend', '1m'],
  ['workspace_client', '512k'],
  ['http_resp_hdr_len', '32k'],
  ['http_resp_size', '128k'],
  ['http_req_hdr_len', '32k'],
  ['http_req_size', '96k'],
  ['http_max_hdr', '600'],
  ['cc_command', 'exec gcc -O0 -w -pthread -fpic -shared -Wl,-x -o %o %s'],
].flatMap(([name, value]) => ['-p', `${name}=${value}`]);

const environment = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

const isInstalled = ['varnishd', 'haproxy'].every((name) => existsSync(`/usr/sbin/${name}`));

/** Where tests must not be left out, a missing package is a failure. */
export const isLeftOut = !isInstalled && process.env.CI !== 'true';

interface Options extends Omit<TemplateValues, 'dir'> {
  readonly tier?: 'edge' | 'shield';
  /** Changes the text that Varnish gets. */
  readonly edit?: (text: string) => string;
  /** Changes the text that HAProxy gets. */
  readonly editHaproxy?: (text: string) => string;
}

/** The two parts of a node behind nginx, which a test speaks to over their sockets. */
export interface RunningParts {
  readonly dir: string;
  readonly varnish: Pool;
  readonly haproxy: Pool;
  stop(): Promise<void>;
}

export async function startParts({
  tier = 'edge',
  edit = String,
  editHaproxy = String,
  ...values
}: Options): Promise<RunningParts> {
  const dir = mkdtempSync(join(tmpdir(), 'cdn-parts-'));
  writeFileSync(join(dir, 'secret'), purgeSecret);
  writeFileSync(join(dir, 'guard-key'), 'any');
  writeFileSync(join(dir, 'haproxy.cfg'), editHaproxy(haproxyConfiguration({ ...values, dir })));
  writeFileSync(join(dir, 'edge.vcl'), edit(vcl(dir, tier, values.shield)));
  const programs = [
    start('haproxy', '-db', '-f', join(dir, 'haproxy.cfg')),
    start(
      'varnishd',
      ...['-F', '-j', 'none', '-T', 'none', '-n', join(dir, 'varnish'), '-f', join(dir, 'edge.vcl')],
      ...['-a', join(dir, 'varnish.sock'), '-s', 'malloc,64m', ...parameters],
    ),
  ];
  const pools = ['haproxy', 'varnish'].map((name) => poolOf(join(dir, `${name}.sock`)));
  const [haproxy, varnish] = pools as [Pool, Pool];
  const stop = async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all(programs.map(end));
    rmSync(dir, { recursive: true });
  };
  const isUp = async () => (await Promise.all(pools.map(responds))).every(Boolean);
  const hasEnded = () => programs.some(({ exitCode }) => exitCode !== null);
  await eventually(async () => hasEnded() || (await isUp()), Boolean);
  if (!hasEnded()) return { dir, varnish, haproxy, stop };
  await stop();
  throw new Error('a part has ended: standard error says why');
}

export function poolOf(socketPath: string): Pool {
  return new Pool('http://edge', { connect: { socketPath }, maxHeaderSize: 256 * 1024 });
}

export function start(name: string, ...flags: readonly string[]): ChildProcess {
  return spawn(name, flags, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function responds(pool: Pool): Promise<boolean> {
  try {
    const { body } = await pool.request({ path: '/', method: 'GET' });
    await body.dump();
    return true;
  } catch {
    return false;
  }
}

export async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}

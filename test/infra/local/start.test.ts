import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listen } from '../../../infra/local/listen.ts';
import { ApiClient } from '../../support/api-client.ts';
import { getFromEdge } from '../../support/edge-client.ts';
import { eventually } from '../../support/eventually.ts';
import { runScript, type StartedProgram, startProgram } from '../../support/program.ts';

let directory: string;
let program: StartedProgram | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cdn-management-start-'));
});
afterEach(async () => {
  if (program?.process.exitCode === null) await program.stop('SIGKILL');
  program = undefined;
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<StartedProgram> {
  program = await startProgram(directory);
  return program;
}

function clientOf({ demo }: StartedProgram): ApiClient {
  return new ApiClient(demo.baseUrl, demo.apiKey);
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap(
    (fd) => /socket:\[(\d+)\]/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
  );
}

/** Local addresses, in /proc's hexadecimal, on which the process and its children listen. */
function listeningAddresses(pid: number): string[] {
  const inodes = new Set([pid, ...childrenOf(pid)].flatMap(socketsOf));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
      .map(([, address = '']) => address.split(':')[0] ?? ''),
  );
}

test('a newcomer is told in under 15 lines what runs and what to paste, and it is true', async () => {
  const { output, demo, process: child } = await start();
  const lines = output().trimEnd().split('\n');
  expect(lines.length).toBeLessThan(15);
  expect(lines[0]).toMatch(/^Ready:/);
  expect(statSync(join(directory, 'demo.json')).mode & 0o777).toBe(0o600);
  expect(output().match(/curl/g)).toHaveLength(3);
  expect(output()).toContain(`${demo.baseUrl}/api/property/${demo.propertyId}/purge`);
  const addresses = listeningAddresses(child.pid ?? 0);
  expect(addresses.length).toBeGreaterThanOrEqual(6);
  expect(new Set(addresses)).toEqual(new Set(['0100007F']));
});

test('a second start finds the first one’s data and its queued jobs', async () => {
  const first = await start();
  const away = createServer();
  const port = await listen(away, 0, 'a port');
  await new Promise((resolve) => away.close(resolve));
  const secretFile = join(directory, 'secret');
  writeFileSync(secretFile, `${'s'.repeat(32)}\n`);
  const added = await runScript(
    [
      'operator',
      '--',
      'edge',
      'add',
      '--id',
      'away',
      '--driver',
      'varnish',
      '--url',
      `http://127.0.0.1:${port}`,
      '--secret-file',
      secretFile,
    ],
    { DATA_DIR: directory },
  );
  expect(added.status).toBe(0);
  const path = `/api/property/${first.demo.propertyId}/purge`;
  const { data } = await clientOf(first).post(path, { type: 'all' });
  await eventually(
    () => clientOf(first).get(`${path}/${data.purgeId}`),
    (answer) => answer.text.includes('retrying'),
  );
  expect((await first.stop('SIGINT')).status).toBe(0);
  const back = createServer((_, response) => response.end('{"removed":0}'));
  await listen(back, port, 'the port');
  const second = await start();
  expect(second.demo.apiKey).toBe(first.demo.apiKey);
  const done = await eventually(
    () => clientOf(second).get(`${path}/${data.purgeId}`),
    (answer) => answer.data.status === 'completed',
  );
  expect(done.data.edges).toHaveLength(2);
  back.closeAllConnections();
  back.close();
});

/** An edge that takes its time, so that a purge can be interrupted. */
async function slowEdge(milliseconds: number): Promise<{ server: Server; port: number }> {
  const server = createServer(
    (_, response) => void sleep(milliseconds).then(() => response.end('{"removed":0}')),
  );
  return { server, port: await listen(server, 0, 'a port') };
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s in the middle of purges loses none',
  async (signal) => {
    const first = await start();
    const { server, port } = await slowEdge(700);
    await runScript(
      [
        'operator',
        '--',
        'edge',
        'add',
        '--id',
        'slow',
        '--driver',
        'varnish',
        '--url',
        `http://127.0.0.1:${port}`,
      ],
      { DATA_DIR: directory },
    );
    const path = `/api/property/${first.demo.propertyId}/purge`;
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => clientOf(first).post(path, { type: 'all' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { status, milliseconds } = await first.stop(signal);
    if (signal === 'SIGTERM') expect([status, milliseconds < 5_000]).toEqual([0, true]);
    const second = await start();
    for (const { data } of answers) {
      await eventually(
        () => clientOf(second).get(`${path}/${data.purgeId}`),
        (answer) => answer.data.status === 'completed',
        20_000,
      );
    }
    server.closeAllConnections();
    server.close();
  },
  60_000,
);

test('the cache, the purge and the cache again, over a real start', async () => {
  const { demo } = await start();
  const look = () => getFromEdge(demo.edgeUrl, demo.hostname, '/');
  expect([(await look()).cache, (await look()).cache]).toEqual(['MISS', 'HIT']);
  await new ApiClient(demo.baseUrl, demo.apiKey).post(`/api/property/${demo.propertyId}/purge`, {
    type: 'all',
  });
  await eventually(look, ({ cache }) => cache === 'MISS', 1_000);
});

async function refused(env: Record<string, string>, reason: RegExp) {
  const { status, stdout, stderr } = await runScript(['start'], {
    PORT: '0',
    EDGE_PORT: '0',
    DATA_DIR: directory,
    ...env,
  });
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(reason)]]);
}

test('what the person at the terminal can mend is one line and exit 1', async () => {
  const taken = createServer();
  const port = String(await listen(taken, 0, 'a port'));
  await refused({ PORT: port }, /Port \d+ cannot be used.*Set PORT/);
  await refused({ EDGE_PORT: port }, /Port \d+ cannot be used.*Set EDGE_PORT/);
  taken.close();
  await refused({ PORT: 'http' }, /PORT must be a port number/);
  writeFileSync(join(directory, 'file'), '');
  await refused({ DATA_DIR: join(directory, 'file') }, /data directory.*cannot be/);
  await refused({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, /database does not answer/);
  await start();
  await refused({}, /in use by another run.*DATA_DIR/);
}, 180_000);

test('a broken data directory is one line and exit 1', async () => {
  writeFileSync(join(directory, 'demo.json'), 'no JSON');
  await refused({}, /demo\.json is broken/);
  rmSync(join(directory, 'demo.json'));
  writeFileSync(join(directory, 'dynamodb.sqlite'), 'this is no database '.repeat(500));
  await refused({}, /database|data directory/);
}, 180_000);

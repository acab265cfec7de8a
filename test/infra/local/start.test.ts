import {
  mkdirSync,
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DataDirectory } from '../../../infra/local/host/data-directory.ts';
import { freePort, listen } from '../../../infra/local/host/listen.ts';
import { ApiClient, type ApiResponse } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { firstResponses, pasteFirstCommands } from '../../support/first-commands.ts';
import { getFromEdge } from '../../support/get-from-edge.ts';
import { giveAssembly } from '../../support/give-assembly.ts';
import { processTree } from '../../support/process-tree.ts';
import {
  runOnTerminal,
  runOperator,
  runStart,
  type StartedProgram,
  startProgram,
} from '../../support/program.ts';

const directory = mkdtempSync(join(tmpdir(), 'cdn-management-start-'));
let program: StartedProgram | undefined;

afterAll(async () => {
  await program?.stop('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<StartedProgram> {
  program = await startProgram(directory);
  return program;
}

/** The run that the test before has left, where it has left one, since a start is expensive. */
async function running(): Promise<StartedProgram> {
  const { exitCode, signalCode } = program?.process ?? {};
  return program && exitCode === null && signalCode === null ? program : start();
}

/** What a start says that it does. */
const bundling = 'Bundling the functions, once for these sources: 5 to 30 s …';
const starting = 'Starting the database, the queues, the API and the edge …';

function clientOf({ demo }: Pick<StartedProgram, 'demo'>): ApiClient {
  return new ApiClient(demo.baseUrl, demo.apiKey);
}

function databaseOf(pid: number): number {
  const found = processTree(pid).find(
    (child) => readFileSync(`/proc/${child}/comm`, 'utf8') === 'dynoxide\n',
  );
  if (found === undefined) throw new Error(`${pid} has no database`);
  return found;
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap(
    (fd) => /socket:\[(\d+)\]/.exec(targetOf(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
  );
}

/** What is closed meanwhile leads nowhere. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

/** Local addresses, in /proc's hexadecimal, on which the process and its children listen. */
function listeningAddresses(pid: number): string[] {
  const inodes = new Set(processTree(pid).flatMap(socketsOf));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
      .map(([, address = '']) => address.split(':')[0] ?? ''),
  );
}

/** What npm says before a script's own output. */
const npmLines = 4;

test('a newcomer is told at once what happens, and in under 20 lines how to log in and what to paste, which works', async () => {
  const { output, milliseconds, demo, process: child } = await running();
  expect(milliseconds.silent).toBeLessThan(milliseconds.starting / 10);
  const lines = output().trimEnd().split('\n');
  expect(lines.length + npmLines).toBeLessThan(20);
  expect(lines.slice(0, 3)).toEqual([bundling, starting, expect.stringMatching(/^Ready:/)]);
  expect(output()).toContain(`edge ${demo.edgeUrl}  in a browser ${demo.baseUrl}/swagger\n`);
  const [, username, password] = /^Log in as (\S+) with the password (\S+) /m.exec(output()) ?? [];
  const login = await clientOf({ demo }).send('/api/Auth/Login', {
    method: 'POST',
    body: { username, password },
  });
  expect([login.status, Object.keys(login.data)]).toEqual([200, ['Token', 'Message']]);
  expect(statSync(join(directory, 'demo.json')).mode & 0o777).toBe(0o600);
  expect(output().match(/curl/g)).toHaveLength(3);
  expect(await pasteFirstCommands(output())).toEqual(firstResponses);
  const addresses = listeningAddresses(child.pid ?? 0);
  expect(addresses.length).toBeGreaterThanOrEqual(6);
  expect(new Set(addresses)).toEqual(new Set(['0100007F']));
});

test('a change of the property is in the edge’s next responses, and the API knows that it is', async () => {
  const { demo } = await running();
  const api = clientOf({ demo });
  const path = `/api/property/${demo.propertyId}`;
  const status = (wanted: number) =>
    eventually(
      () => getFromEdge(demo.edgeUrl, demo.hostname, '/'),
      (response) => response.status === wanted,
    );
  const patch = (body: object) =>
    api.send(path, { method: 'PATCH', body, headers: [['X-API-Key', demo.apiKey]] });
  await status(200);
  await patch({ status: 'paused' });
  await status(503);
  await eventually(
    () => api.get(`${path}/deployment`),
    ({ data }) => data.status === 'live' && data.edges.some(({ id }: { id: string }) => id === 'embedded'),
  );
  await patch({ status: 'active' });
  await status(200);
});

function operate(...command: readonly string[]) {
  return runOperator(command, { DATA_DIR: directory });
}

function addEdge(id: string, port: number) {
  return operate('edge', 'add', '--id', id, '--driver', 'varnish', '--url', `http://127.0.0.1:${port}`);
}

function removeEdge(id: string) {
  return operate('edge', 'remove', '--id', id);
}

/** Deletes the demo's property and gives its host name to another. @returns the path of the other's purges */
async function replaceProperty({ demo }: StartedProgram): Promise<string> {
  const api = new ApiClient(demo.baseUrl, demo.apiKey);
  const headers = [['X-API-Key', demo.apiKey]] as const;
  await api.send(`/api/property/${demo.propertyId}`, { method: 'DELETE', headers });
  const origin = { url: demo.baseUrl };
  const { data } = await api.post('/api/property', { name: 'Other', hostnames: [demo.hostname], origin });
  return `/api/property/${data.id}/purge`;
}

async function revokeKey({ demo }: StartedProgram): Promise<void> {
  const { id } = (await clientOf({ demo }).get('/api/account')).data.credential;
  await operate('key', 'revoke', '--account', demo.accountId, '--id', id);
}

test('a second start finds the first one’s data and its queued jobs, and makes anew what the demo lacks', async () => {
  const first = await running();
  const port = await freePort();
  await addEdge('away', port);
  const path = await replaceProperty(first);
  const { data } = await clientOf(first).post(path, { type: 'all' });
  await eventually(
    () => clientOf(first).get(`${path}/${data.purgeId}`),
    (response) => response.text.includes('retrying'),
  );
  await revokeKey(first);
  expect((await first.stop('SIGINT')).status).toBe(0);
  const back = createServer((_, response) => response.end('{"removed":0}'));
  await listen(back, port, 'the port');
  const second = await start();
  expect([second.demo.accountId, second.demo.password]).toEqual([first.demo.accountId, first.demo.password]);
  const done = await eventually(
    () => clientOf(second).get(`${path}/${data.purgeId}`),
    (response) => response.data.status === 'completed',
  );
  expect(done.data.edges).toHaveLength(2);
  expect(await pasteFirstCommands(second.output())).toEqual(firstResponses);
  await removeEdge('away');
  back.closeAllConnections();
  back.close();
});

test('a demo account that is disabled stays so, and a start says how to enable it', async () => {
  const { demo, stop } = await running();
  await operate('account', 'disable', '--account', demo.accountId);
  await stop('SIGTERM');
  const again = await start();
  expect(again.demo).toMatchObject({ apiKey: demo.apiKey, propertyId: demo.propertyId });
  expect((await clientOf(again).get('/api/account')).status).toBe(401);
  const [enabled, ...responses] = await pasteFirstCommands(again.output());
  expect([enabled, responses]).toEqual([expect.stringContaining('status: active'), firstResponses]);
});

/** An edge that takes its time, so that a purge can be interrupted. */
async function slowEdge(milliseconds: number): Promise<{ server: Server; port: number }> {
  const server = createServer(
    (_, response) => void sleep(milliseconds).then(() => response.end('{"removed":0}')),
  );
  return { server, port: await listen(server, 0, 'a port') };
}

/** Ways in which a run ends. @returns what it must have written to standard error */
const ways: readonly (readonly [string, (first: StartedProgram) => Promise<readonly unknown[]>])[] = [
  [
    'SIGTERM',
    async (first) => {
      const { status, milliseconds } = await first.stop('SIGTERM');
      expect([status, milliseconds < 5_000]).toEqual([0, true]);
      return [];
    },
  ],
  [
    'SIGKILL',
    async (first) => {
      await first.stop('SIGKILL');
      return [];
    },
  ],
  [
    'a killed database',
    async (first) => {
      process.kill(databaseOf(first.process.pid ?? 0), 'SIGKILL');
      const { status, milliseconds } = await first.ended();
      expect([status, milliseconds < 10_000]).toEqual([1, true]);
      return [expect.stringMatching(/^The embedded database has ended \(killed by SIGKILL\): see \S+log\.$/)];
    },
  ],
];

describe('purges that an edge takes its time for', () => {
  let server: Server;
  beforeAll(async () => {
    await running();
    const slow = await slowEdge(700);
    ({ server } = slow);
    await addEdge('slow', slow.port);
  });
  afterAll(async () => {
    await removeEdge('slow');
    server.closeAllConnections();
    server.close();
  });

  test.each(ways)('%s in the middle of purges loses none', async (_, end) => {
    const first = await running();
    const path = `/api/property/${first.demo.propertyId}/purge`;
    const responses: ApiResponse[] = [];
    for (let purge = 0; purge < 30; purge += 1)
      responses.push(await clientOf(first).post(path, { type: 'all' }));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const said = await end(first);
    expect(first.errors().split('\n').filter(Boolean)).toEqual(said);
    const second = await start();
    for (const { data } of responses) {
      await eventually(
        () => clientOf(second).get(`${path}/${data.purgeId}`),
        (response) => response.data.status === 'completed',
      );
    }
  });
});

/** @param doing what it has said before on standard output */
async function refused(directory: string, reason: RegExp, env: Record<string, string> = {}, doing = '') {
  const { status, stdout, stderr } = await runStart({
    PORT: '0',
    EDGE_PORT: '0',
    DATA_DIR: directory,
    ...env,
  });
  expect([status, stdout.trimEnd(), stderr.trimEnd().split('\n')]).toEqual([
    1,
    doing,
    [expect.stringMatching(reason)],
  ]);
}

/** What is said on a terminal after its line was cleared the last time is all that stays there. */
async function refusedOnTerminal(directory: string, stays: RegExp) {
  const { stdout } = await runOnTerminal('npm run -s start', {
    PORT: '0',
    EDGE_PORT: '0',
    DATA_DIR: directory,
  });
  expect(stdout.split('\u001b[1G').slice(-2)).toEqual([
    expect.stringContaining(starting),
    expect.stringMatching(stays),
  ]);
}

test('what the person at the terminal can fix is one line and exit 1', async () => {
  const unusable = join(directory, 'unusable');
  mkdirSync(unusable);
  giveAssembly(unusable);
  const taken = createServer();
  const port = String(await listen(taken, 0, 'a port'));
  await refused(unusable, /Port \d+ cannot be used.*Set PORT/, { PORT: port });
  taken.close();
  await refused(unusable, /PORT must be a port number/, { PORT: 'http' });
  writeFileSync(join(unusable, 'file'), '');
  await refused(join(unusable, 'file'), /data directory.*cannot be/);
  rmSync(join(unusable, 'cdk.out'), { recursive: true });
  writeFileSync(join(unusable, 'cdk.out'), '');
  await refused(unusable, /^The template cannot be made: .*cdk\.out/, {}, bundling);
  rmSync(join(unusable, 'cdk.out'));
  giveAssembly(unusable);
  rmSync(join(unusable, 'functions.log'), { force: true });
  mkdirSync(join(unusable, 'functions.log'));
  await refused(unusable, /functions\.log cannot be written: EISDIR/, {}, starting);
  await refusedOnTerminal(unusable, /^The log \S+ cannot be written: EISDIR.*\r\n$/);
  const running = DataDirectory.open(unusable);
  await refused(unusable, /in use by another run.*DATA_DIR/);
  running.close();
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiClient } from '../../support/api-client.ts';
import { runScript, type StartedProgram, startProgram } from '../../support/program.ts';

let directory: string;
let program: StartedProgram;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cdn-management-operator-'));
  program = await startProgram(directory);
});
afterAll(async () => {
  await program.stop('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
});

const operator = (...args: string[]) => runScript(['operator', '--', ...args], { DATA_DIR: directory });

const json = async (...args: string[]) => {
  const { status, stdout, stderr } = await operator(...args, '--json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

test('an account and its key: made, used, listed without the raw key, revoked', async () => {
  const account = await json('account', 'create', '--name', 'Acme');
  expect(account).toEqual({ accountId: expect.any(String), name: 'Acme', status: 'active' });
  expect(await json('account', 'list')).toContainEqual(account);
  const key = await json('key', 'create', '--account', account.accountId, '--name', 'Plugin');
  expect(key).toEqual({
    id: expect.any(String),
    name: 'Plugin',
    prefix: key.key.slice(0, 8),
    createdAt: expect.any(String),
    key: expect.stringMatching(/^svc_.{28}$/),
  });
  const api = new ApiClient(program.demo.baseUrl, key.key);
  expect((await api.get('/api/account')).data.id).toBe(account.accountId);
  const [listed] = await json('key', 'list', '--account', account.accountId);
  expect(listed).toEqual({ ...key, key: undefined, lastUsedAt: expect.any(String), revokedAt: null });
  const revoked = await json('key', 'revoke', '--account', account.accountId, '--id', key.id);
  expect(revoked).toEqual({ id: key.id, revokedAt: expect.any(String) });
  expect(await json('key', 'revoke', '--account', account.accountId, '--id', key.id)).toEqual(revoked);
  expect((await api.get('/api/account')).status).toBe(401);
});

test('an edge: added with a secret of its own, checked, listed without secrets, removed', async () => {
  const { edgeUrl } = program.demo;
  const added = await json('edge', 'add', '--id', 'e1', '--driver', 'varnish', '--url', edgeUrl);
  expect(added).toEqual({
    id: 'e1',
    driver: 'varnish',
    url: edgeUrl,
    tier: 'edge',
    token: expect.any(String),
    secret: expect.any(String),
  });
  const listed = await json('edge', 'list');
  expect(listed.map(({ id }: { id: string }) => id)).toEqual(['e1', 'embedded']);
  expect(JSON.stringify(listed)).not.toContain(added.secret);
  expect(JSON.stringify(listed)).not.toContain(added.token);
  expect(await json('edge', 'check', '--id', 'embedded')).toEqual({
    id: 'embedded',
    ok: true,
    detail: expect.any(String),
  });
  const wrong = await operator('edge', 'check', '--json');
  expect([wrong.status, wrong.stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining('e1')]]);
  expect(JSON.parse(wrong.stdout)).toEqual([
    { id: 'e1', ok: false, detail: expect.stringContaining('401') },
    { id: 'embedded', ok: true, detail: expect.any(String) },
  ]);
  await json('edge', 'remove', '--id', 'e1');
  expect((await json('edge', 'list')).map(({ id }: { id: string }) => id)).toEqual(['embedded']);
});

test('a secret from a file is used without its last newline, and not shown', async () => {
  const file = join(directory, 'secret');
  writeFileSync(file, `${'x'.repeat(40)}\n`);
  const added = await json(
    'edge',
    'add',
    '--id',
    'e2',
    '--driver',
    'varnish',
    '--url',
    'http://127.0.0.1:1',
    '--secret-file',
    file,
    '--tier',
    'shield',
  );
  expect(added).toEqual({
    id: 'e2',
    driver: 'varnish',
    url: 'http://127.0.0.1:1',
    tier: 'shield',
    token: expect.any(String),
  });
  await json('edge', 'remove', '--id', 'e2');
});

test.each([
  [['key', 'create', '--account', 'nobody', '--name', 'x'], /Account not found/],
  [['key', 'revoke', '--account', 'nobody', '--id', 'x'], /API key not found/],
  [['edge', 'remove', '--id', 'nobody'], /Edge not found/],
  [['edge', 'check', '--id', 'nobody'], /no edge nobody/],
  [['edge', 'add', '--id', 'embedded', '--driver', 'varnish', '--url', 'http://127.0.0.1:1'], /already/],
])('%j is refused: exit 1 and one line', async (args, reason) => {
  const { status, stdout, stderr } = await operator(...args);
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(reason)]]);
});

test.each([
  [['account']],
  [['account', 'destroy']],
  [['constructor', 'toString']],
  [['account', 'create']],
  [['account', 'create', '--name', '']],
  [['account', 'create', '--name', 'a\nb']],
  [['account', 'create', '--name', 'x', '--colour', 'red']],
  [['account', 'list', 'extra']],
  [['edge', 'add', '--id', 'e', '--driver', 'squid', '--url', 'http://127.0.0.1:1']],
  [['edge', 'add', '--id', 'a b', '--driver', 'varnish', '--url', 'http://127.0.0.1:1']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'ftp://127.0.0.1']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://127.0.0.1:1', '--tier', 'middle']],
])('%j is wrong usage: exit 2 and one line', async (args) => {
  const { status, stdout, stderr } = await operator(...args);
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([
    2,
    '',
    [expect.stringMatching(/^operator: /)],
  ]);
});

test('where no run is using the folder: exit 1, saying how to start one', async () => {
  const { status, stderr } = await runScript(['operator', '--', 'account', 'list'], {
    DATA_DIR: join(directory, 'none'),
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining('npm start')]);
});

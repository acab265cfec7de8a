import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { functionsLogName } from '../../../infra/local/host/functions-log.ts';
import { listen } from '../../../infra/local/host/listen.ts';
import { parse } from '../../../infra/operator/command-line.ts';
import { commands } from '../../../infra/operator/commands/commands.ts';
import { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { login, tokenOf, withToken } from '../../support/identity.ts';
import { json, operator, operatorAtTerminal, run } from '../../support/operator.ts';
import { runOperator, runScript } from '../../support/program.ts';

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
  const api = new ApiClient(run.baseUrl, key.key);
  expect((await api.get('/api/account')).data.id).toBe(account.accountId);
  const named = ['--account', account.accountId, '--name', 'Plain'];
  const plain = await json('key', 'create', ...named, '--no-symbols');
  expect(plain.key).toMatch(/^svc_[A-Za-z0-9]{28}$/);
  const [, listed] = await json('key', 'list', '--account', account.accountId);
  expect(listed).toEqual({ ...key, key: undefined, lastUsedAt: expect.any(String), revokedAt: null });
  const revoked = await json('key', 'revoke', '--account', account.accountId, '--id', key.id);
  expect(revoked).toEqual({ id: key.id, revokedAt: expect.any(String) });
  expect(await json('key', 'revoke', '--account', account.accountId, '--id', key.id)).toEqual(revoked);
  expect((await api.get('/api/account')).status).toBe(401);
});

test('a user: made, listed, disabled and enabled, given a new password and no second factor', async () => {
  const { accountId } = await json('account', 'create', '--name', 'People');
  const made = await json('user', 'create', '--account', accountId, '--username', 'Anna@Example.com');
  expect(made).toEqual({ accountId, username: 'anna@example.com', password: expect.any(String) });
  const api = new ApiClient(run.baseUrl, '');
  const canLogIn = async (password: string) =>
    (await login(api, 'anna@example.com', password)).status === 200;
  expect(await canLogIn(made.password)).toBe(true);
  const named = ['--username', 'ANNA@example.com'];
  const active = { username: 'anna@example.com', status: 'active' };
  expect(await json('user', 'list', '--account', accountId)).toEqual([active]);
  expect(await json('user', 'disable', ...named)).toEqual({ ...active, status: 'disabled' });
  expect(await canLogIn(made.password)).toBe(false);
  expect(await json('user', 'enable', ...named)).toEqual(active);
  const reset = await json('user', 'reset-password', ...named);
  expect(reset).toEqual({ ...active, password: expect.any(String) });
  expect([await canLogIn(made.password), await canLogIn(reset.password)]).toEqual([false, true]);
  expect(await json('user', 'reset-2fa', ...named)).toEqual(active);
  const given = await json(
    'user',
    'create',
    '--account',
    accountId,
    '--username',
    'bob',
    '--password',
    'x'.repeat(12),
  );
  expect(given.password).toBe('x'.repeat(12));
  const taken = await operator('user', 'create', '--account', accountId, '--username', 'BOB');
  expect([taken.status, taken.stderr]).toEqual([1, expect.stringContaining('taken')]);
});

test('an account is disabled and enabled', async () => {
  const { accountId } = await json('account', 'create', '--name', 'Door');
  const { key } = await json('key', 'create', '--account', accountId, '--name', 'Key');
  const api = new ApiClient(run.baseUrl, key);
  expect(await json('account', 'disable', '--account', accountId)).toEqual({
    accountId,
    name: 'Door',
    status: 'disabled',
  });
  expect((await api.get('/api/account')).status).toBe(401);
  expect((await json('account', 'enable', '--account', accountId)).status).toBe('active');
  expect((await api.get('/api/account')).status).toBe(200);
});

test('the signing key rotates: old tokens live on, and a second rotation is refused within their lifetime', async () => {
  const { username, password, baseUrl } = run;
  const api = new ApiClient(baseUrl, '');
  const before = await tokenOf(api, username, password);
  const { kid } = await json('signing-key', 'rotate');
  expect((await withToken(api, before).get('/api/account')).status).toBe(200);
  expect(kid).toEqual(expect.any(String));
  const again = await operator('signing-key', 'rotate');
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('Rotate again after')]);
});

test('an edge: added with a secret of its own, checked, listed without secrets, removed', async () => {
  const { edgeUrl } = run;
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
  const { secret } = JSON.parse(readFileSync(join(run.folder, 'embedded-edge.json'), 'utf8'));
  const right = join(run.folder, 'right-secret');
  writeFileSync(right, secret);
  const at = ['--url', run.edgeUrl, '--secret-file', right];
  await json('edge', 'replace', '--id', 'e1', ...at);
  expect(await json('edge', 'check', '--id', 'e1')).toMatchObject({ id: 'e1', ok: true });
  const unknown = await operator('edge', 'replace', '--id', 'nobody', ...at);
  expect([unknown.status, unknown.stderr]).toEqual([
    1,
    'operator: Edge not found. help edge replace says where to find it.\n',
  ]);
  await json('edge', 'remove', '--id', 'e1');
  expect((await json('edge', 'list')).map(({ id }: { id: string }) => id)).toEqual(['embedded']);
});

test('an edge that is replaced keeps its token, secret, driver and tier, but for what is given', async () => {
  const { edgeUrl, baseUrl } = run;
  const { secret } = JSON.parse(readFileSync(join(run.folder, 'embedded-edge.json'), 'utf8'));
  const file = join(run.folder, 'kept-secret');
  writeFileSync(file, secret);
  const named = ['--id', 'kept', '--url', edgeUrl];
  const added = await json(
    ...['edge', 'add', ...named, '--driver', 'varnish', '--tier', 'shield', '--secret-file', file],
  );
  const isKnown = async (token: string): Promise<boolean> => {
    const headers = [
      ['X-Edge-Token', token],
      ['Content-Type', 'application/x-ndjson'],
    ] as const;
    const sent = { method: 'POST', headers, body: '{}\n' };
    return (await new ApiClient(baseUrl, '').send('/api/edge/logs', sent)).status === 200;
  };
  const entry = async () => (await json('edge', 'list')).find(({ id }: { id: string }) => id === 'kept');
  const before = await entry();
  const unchanged = { id: 'kept', driver: 'varnish', url: edgeUrl, tier: 'shield' };
  expect(await json('edge', 'replace', ...named)).toEqual(unchanged);
  expect(await entry()).toEqual(before);
  expect(await json('edge', 'check', '--id', 'kept')).toMatchObject({ ok: true });
  expect(await isKnown(added.token)).toBe(true);

  const renewed = await json('edge', 'replace', ...named, '--new-token', '--tier', 'edge');
  expect(renewed).toEqual({ ...unchanged, tier: 'edge', token: expect.stringMatching(/^edge_/) });
  expect([await isKnown(added.token), await isKnown(renewed.token)]).toEqual([false, true]);
  expect(await json('edge', 'check', '--id', 'kept')).toMatchObject({ ok: true });

  const distribution = ['--driver', 'cloudfront', '--url', 'cloudfront:E2QWRUHAPOMQZL'];
  const other = await operator('edge', 'replace', '--id', 'kept', ...distribution);
  expect([other.status, other.stderr]).toEqual([
    1,
    'operator: Edge kept cannot become one of the driver cloudfront: remove it, and add it again.\n',
  ]);
  await json('edge', 'replace', ...named, '--secret-file', file);
  expect(await json('edge', 'check', '--id', 'kept')).toMatchObject({ ok: true });
  expect(await isKnown(renewed.token)).toBe(true);
  await json('edge', 'remove', '--id', 'kept');
});

test('an edge for some accounts and properties: added, listed, replaced, and made everybody’s again', async () => {
  const { accountId: other } = await json('account', 'create', '--name', 'Other');
  const { accountId, propertyId, edgeUrl } = run;
  const named = ['--id', 'scoped', '--url', edgeUrl];
  const edge = { id: 'scoped', driver: 'varnish', url: edgeUrl, tier: 'edge' };
  const both = ['--account', accountId, '--account', other, '--account', other, '--property', propertyId];
  const scope = { accounts: [accountId, other], properties: [propertyId] };
  const added = await json('edge', 'add', ...named, '--driver', 'varnish', ...both, '--widen');
  const [token, secret] = [expect.stringMatching(/^edge_/), expect.any(String)];
  expect(added).toEqual({ ...edge, ...scope, widen: true, token, secret });
  const listed = async () => (await json('edge', 'list')).find(({ id }: { id: string }) => id === 'scoped');
  expect(await listed()).toMatchObject({ ...edge, ...scope, widen: true });
  expect((await operator('edge', 'list')).stdout).toMatch(
    /SCOPE(.|\n)* all (.|\n)* 2 accounts, 1 property, widened /,
  );
  expect((await json('status')).edges).toContainEqual(await listed());
  expect(await json('edge', 'replace', ...named)).toEqual({ ...edge, ...scope, widen: true });
  expect(await listed()).toMatchObject({ ...scope, widen: true });
  const one = { ...edge, accounts: [other] };
  expect(await json('edge', 'replace', ...named, '--account', other)).toEqual(one);
  expect(await listed()).toMatchObject({ accounts: [other], properties: [], widen: false });
  expect(await json('edge', 'replace', ...named, '--widen')).toEqual({ ...one, widen: true });
  expect(await listed()).toMatchObject({ accounts: [other], properties: [], widen: true });
  expect(await json('edge', 'replace', ...named, '--all')).toEqual(edge);
  expect(await listed()).toMatchObject({ accounts: [], properties: [], widen: false });
  await json('edge', 'remove', '--id', 'scoped');
});

test('a secret from a file is used without its last newline, and not shown', async () => {
  const file = join(run.folder, 'secret');
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

const newEdge = ['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://127.0.0.1:1'];
const embedded = ['edge', 'replace', '--id', 'embedded', '--url', 'http://127.0.0.1:1'];

test.each([
  [['key', 'create', '--account', 'nobody', '--name', 'x'], /Account not found/],
  [['key', 'revoke', '--account', 'nobody', '--id', 'x'], /API key not found/],
  [['account', 'disable', '--account', 'nobody'], /Account not found/],
  [['user', 'disable', '--username', 'nobody'], /User not found/],
  [['user', 'create', '--account', 'nobody', '--username', 'x'], /Account not found/],
  [['edge', 'remove', '--id', 'nobody'], /Edge not found/],
  [['edge', 'check', '--id', 'nobody'], /Edge not found\. help edge check says where to find it\./],
  [['edge', 'add', '--id', 'embedded', '--driver', 'varnish', '--url', 'http://127.0.0.1:1'], /already/],
  [[...newEdge, '--account', 'nobody'], /^operator: Account nobody not found\. help edge add says where/],
  [[...newEdge, '--property', 'nothing'], /^operator: Property nothing not found\. help edge add says where/],
  [[...embedded, '--account', 'nobody'], /^operator: Account nobody not found\./],
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
  [['user', 'create', '--account', 'x', '--username', 'y', '--password', 'short']],
  [['user', 'create', '--account', 'x', '--username', '\ufdfa'.repeat(63)]],
  [['edge', 'add', '--id', 'e', '--driver', 'squid', '--url', 'http://127.0.0.1:1']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://127.0.0.1:1', '--new-token']],
  [['edge', 'replace', '--id', 'e', '--url', 'http://127.0.0.1:1', '--new-token=yes']],
  [
    [
      'edge',
      'add',
      '--id',
      'e',
      '--driver',
      'varnish',
      '--url',
      'http://127.0.0.1:1',
      '--secret-file',
      '/no',
    ],
  ],
  [[...newEdge, ...Array.from({ length: 41 }, (_, number) => ['--account', `a${number}`]).flat()]],
  [[...newEdge, '--account', '']],
  [[...newEdge, '--property=']],
  [[...newEdge, '--all']],
  [[...embedded, '--all', '--account', 'nobody']],
  [[...embedded, '--all', '--property', 'nothing']],
  [['edge', 'add', '--id', 'a b', '--driver', 'varnish', '--url', 'http://127.0.0.1:1']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'ftp://127.0.0.1']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://edge.example.com:6081']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://203.0.113.5:6081']],
  [['edge', 'add', '--id', 'e', '--driver', 'varnish', '--url', 'http://127.0.0.1:1', '--tier', 'middle']],
])('%j is wrong usage: exit 2 and one line', async (args) => {
  const { status, stdout, stderr } = await operator(...args);
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([
    2,
    '',
    [expect.stringMatching(/^operator: /)],
  ]);
});

const names = Object.keys(commands);

test('the tables are protected from deletion, as often as it is asked for', async () => {
  for (const _ of [1, 2]) {
    const rows: { readonly table: string; readonly isProtected: boolean }[] = await json('protect');
    expect(rows.map(({ table }) => table)).toContain('CdnManagement-accounts');
    expect(rows.filter(({ isProtected }) => !isProtected)).toEqual([]);
  }
});

test('the help of all commands has one line for each, and fits a terminal', async () => {
  const { status, stdout } = await operator('--help');
  expect([status, stdout]).toEqual([0, (await operator('help')).stdout]);
  const lines = stdout.split('\n');
  for (const name of names) expect(lines.filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
  for (const line of lines) expect([line, [...line].length <= 80]).toEqual([line, true]);
});

test.each(names)('help %s says every flag, what it takes, and an example that is right', async (name) => {
  const { status, stdout } = await operator('help', ...name.split(' '));
  expect([status, stdout]).toEqual([0, (await operator(...name.split(' '), '--help')).stdout]);
  const { required = {}, optional = {}, switches = {} } = commands[name] ?? {};
  for (const [flag, text] of Object.entries({ ...required, ...optional, ...switches })) {
    expect(stdout).toContain(`--${flag}`);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text);
  }
  const [, example = ''] = /^Example: npm run -s operator -- (.*)$/m.exec(stdout) ?? [];
  const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect(parse(words).command).toBe(commands[name]);
});

test('help of a noun lists its commands; that of edge add says the price, the scope and what --single-pass does', async () => {
  const { stdout } = await operator('edge', '--help');
  expect(stdout.match(/^ {2}edge \w+/gm)).toEqual(
    ['add', 'replace', 'list', 'remove', 'check'].map((verb) => `  edge ${verb}`),
  );
  const add = (await operator('help', 'edge', 'add')).stdout.replaceAll(/\s+/g, ' ');
  expect(add).toMatch(/\$0\.005 for each path.*--single-pass\] cloudfront only: invalidate once/);
  expect(add).toMatch(/\[--account ACCOUNT\]… takes the purges of this account only.* several times/);
  expect(add).toMatch(/\[--property PROPERTY\]… takes.*\[--widen\] what it cannot do exactly becomes a hard/);
  const replace = (await operator('help', 'edge', 'replace')).stdout.replaceAll(/\s+/g, ' ');
  expect(replace).toMatch(
    /with or without --widen, take the place.*\[--all\] takes the purges of all accounts/,
  );
});

test.each([
  [['edg', 'list'], 'edge list'],
  [['edge', 'lst'], 'edge list'],
  [['stats'], 'status'],
  [['user', 'resetpassword'], 'user reset-password'],
  [['help', 'purge', 'reply'], 'purge replay'],
  [['edge', 'add', '--secretfile', 'x'], '--secret-file'],
  [['status', '--jsn'], '--json'],
  [['purge', 'list', '--acount=x'], '--account'],
])('%j is wrong usage, and the nearest is named', async (args, meant) => {
  const { status, stdout, stderr } = await operator(...args);
  expect([status, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringMatching(`^operator: .* is it "?${meant}"?[?;].*\n$`),
  ]);
});

test.each([
  [['nonsense'], 'there is no command "nonsense"; help lists them all'],
  [['purge', 'xyz'], 'there is no command "purge xyz", but purge list, purge failed, purge replay'],
  [['status', '--verbose'], 'there is no flag --verbose here; help status says what it takes'],
  [['status', 'help'], 'unexpected "help"; help status says what it takes'],
  [['user', 'create', '--account', 'x'], '--username is missing; help user create says what it takes'],
])('%j is wrong usage with nothing near: it is said where to look', async (args, reason) => {
  const { status, stderr } = await operator(...args);
  expect([status, stderr]).toEqual([2, `operator: ${reason}\n`]);
});

test.each([
  ['no region', { AWS_REGION: undefined }, /AWS_REGION, or AWS_PROFILE/],
  ['no credentials', { AWS_REGION: 'eu-west-1' }, /AWS_PROFILE .* AWS_ACCESS_KEY_ID/],
])('with a stack and %s: exit 1 soon, and one line that says what to set', async (_, variables, reason) => {
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  });
  const port = await listen(silent, 0, 'a port');
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_PROFILE: undefined };
  const metadata = { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}` };
  const changed = Object.entries({ ...none, ...metadata, ...variables });
  const before = { ...process.env };
  for (const [name, value] of changed) vi.stubEnv(name, value);
  const { status, stdout, stderr } = await operator('account', 'list', '--stack', 'Nothing');
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringMatching(reason)]]);
  // Each time that it is asked takes a second.
  expect(asked).toBeLessThanOrEqual(2);
  for (const [name] of changed) vi.stubEnv(name, before[name]);
  silent.closeAllConnections();
  silent.close();
});

test('where no run is using the folder: exit 1, saying how to start one', async () => {
  const { status, stderr } = await runScript(['operator', '--', 'account', 'list'], {
    DATA_DIR: join(run.folder, 'none'),
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/npm start.*DATA_DIR/)]);
});

test.each([
  [0, ['account', 'list', '--json']],
  [1, ['key', 'list', '--account', 'nobody']],
  [2, ['account', 'destroy']],
])('the program prints what a command says, and ends with its status: %i', async (status, args) => {
  const ended = await runOperator(args, { DATA_DIR: run.folder });
  expect(ended).toEqual(await operator(...args));
  expect(ended.status).toBe(status);
});

test('what a command makes is in one line, and at a terminal a field a line, never shortened', async () => {
  const name = 'x'.repeat(100);
  const plain = await operator('account', 'create', '--name', name);
  expect(plain.stdout).toMatch(new RegExp(`^accountId: \\w{26} {2}name: ${name} {2}status: active\\n$`));
  const { stdout } = await operatorAtTerminal('account', 'create', '--name', name);
  expect(stdout).toMatch(new RegExp(`^accountId: \\w{26}\\nname: ${name}\\nstatus: active\\n$`));
});

test('a list fits the terminal: ids are whole, what is long is shortened; without a terminal nothing is', async () => {
  const name = 'y'.repeat(100);
  const { accountId } = await json('account', 'create', '--name', name);
  const rowIn = ({ stdout }: { readonly stdout: string }) =>
    stdout.split('\n').find((line) => line.startsWith(accountId));
  expect(rowIn(await operatorAtTerminal('account', 'list'))).toMatch(
    new RegExp(`^${accountId} {2}y+… {2}active$`),
  );
  expect(rowIn(await operatorAtTerminal('account', 'list'))).toHaveLength(80);
  expect(rowIn(await operator('account', 'list'))).toMatch(new RegExp(`^${accountId} {2}${name} {2}active$`));
});

interface EdgeRow {
  readonly id: string;
  readonly lagging: unknown;
  readonly missed: unknown;
}

test('what is wrong with an edge, what it missed and what to do is in edge list and in status', async () => {
  const before = await operatorAtTerminal('status');
  expect(before.stdout).toMatch(
    /^Edges: 1, none lags\n\nQUEUE .*\npurge +0 +0 +0 +0\ncatch-up .*\ninvalidation .*\nconfig-notification .*\n\nLast purges\n/,
  );
  const edge = async (id: string, url: string) =>
    json('edge', 'add', '--id', id, '--driver', 'varnish', '--url', url);
  await edge('away', 'http://127.0.0.1:1');
  await edge('wrong', run.edgeUrl);
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const { purgeId } = (await api.post(`/api/property/${run.propertyId}/purge`, { type: 'all' })).data;
  const listed: EdgeRow[] = await eventually(
    () => json('edge', 'list'),
    (rows: EdgeRow[]) => rows.filter(({ lagging, missed }) => lagging && missed).length === 2,
  );
  const time = expect.stringMatching(/Z$/);
  const missed = { properties: 1, since: time };
  const lagging = { since: time, attempts: expect.any(Number), nextAttemptAt: time };
  const check = { todo: expect.stringContaining('edge check --id away') };
  const replace = `edge replace --id wrong --url ${run.edgeUrl} --secret-file FILE`;
  const reason = expect.any(String);
  expect(listed).toMatchObject([
    { id: 'away', lagging: { ...lagging, kind: 'unreachable', reason }, missed, ...check },
    { id: 'embedded', lagging: null, missed: null, todo: null },
    {
      id: 'wrong',
      lagging: { ...lagging, kind: 'denied', reason },
      missed,
      todo: expect.stringContaining(replace),
    },
  ]);

  const status = await json('status');
  expect(status.edges.map(({ id }: EdgeRow) => id)).toEqual(['away', 'embedded', 'wrong']);
  const depth = { waiting: expect.any(Number), inWork: expect.any(Number), putOff: expect.any(Number) };
  expect(status.queues).toEqual(
    ['purge', 'catch-up', 'invalidation', 'config-notification'].map((queue) => ({ queue, ...depth })),
  );
  expect(status.deadLetters).toEqual(
    ['purge', 'catch-up', 'invalidation', 'config-notification'].map((queue) => ({ queue, messages: 0 })),
  );
  expect(status.lastPurges).toMatchObject([
    { id: purgeId, accountId: run.accountId, propertyId: run.propertyId, status: 'running' },
  ]);

  for (const noun of [['status'], ['edge', 'list']]) {
    const { stdout } = await operatorAtTerminal(...noun);
    for (const line of stdout.split('\n')) expect([line, line.length <= 80]).toEqual([line, true]);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /away lags for \d+s: unreachable, .* Missed: purges of 1 property, the first \d+s ago\./,
    );
    expect(text).toContain('edge check --id away');
    expect(text).toContain(replace);
  }
  for (const id of ['away', 'wrong']) await json('edge', 'remove', '--id', id);
});

test('a request that a function failed on is found in the functions’ log by its id, with the cause', async () => {
  const directory = join(run.folder, 'broken');
  mkdirSync(directory);
  writeFileSync(join(directory, 'index.mjs'), 'throw new Error("this bundle is broken")');
  const name = 'CdnManagement-statistics-account';
  const limits = { memoryMegabytes: 128, timeoutSeconds: 3, environment: {} };
  run.functions.load([{ name, directory, handlerName: 'index.handler', ...limits }]);
  const response = await new ApiClient(run.baseUrl, run.apiKey).get('/api/statistics');
  expect(response.status).toBe(502);
  const requestId = response.headers['x-request-id'];
  const lines = await eventually(
    async () => readFileSync(join(run.folder, functionsLogName), 'utf8').split('\n'),
    (all) => all.some((line) => line.includes(`"requestId":"${requestId}"`)),
  );
  expect(lines.find((line) => line.includes(`${requestId}`))).toContain('this bundle is broken');
});

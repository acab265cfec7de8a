import { setTimeout as sleep } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { disableAccount, enableAccount } from '../../../shared/account/account-access.ts';
import { createApiKey, revokeApiKey } from '../../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../../shared/account/account-table.ts';
import { generateApiKey, hashApiKey } from '../../../shared/auth/api-key.ts';
import { changeUser, revokeTokens } from '../../../shared/auth/user-table.ts';
import { dynamodb, tableName } from '../../../shared/aws/dynamodb.ts';
import { newId } from '../../../shared/ground/id.ts';
import { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, login, makeUser, tokenOf, withToken } from '../../support/identity.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

let run: TestRun;
const path = '/api/account/api-keys';

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function client(key: string): ApiClient {
  return new ApiClient(run.baseUrl, key);
}

test('a key is made, seen once, used, listed, revoked, and revoked again without change', async () => {
  const created = await run.api.post(path, { name: 'Plugin' });
  expect(created.status).toBe(201);
  expect(created.data).toEqual({
    id: expect.any(String),
    name: 'Plugin',
    prefix: created.data.key.slice(0, 8),
    createdAt: expect.any(String),
    key: expect.stringMatching(/^svc_[A-Za-z0-9!@#$%&*]{28}$/),
  });
  const { key, id, ...shown } = created.data;
  expect((await client(key).get('/api/account')).data.credential.id).toBe(id);
  const listed = await run.api.get(path);
  expect(listed.text).not.toContain(key);
  expect(listed.envelope.totalRecords).toBe(2);
  expect(listed.data.items[0]).toEqual({ id, ...shown, lastUsedAt: expect.any(String), revokedAt: null });
  const revoke = () =>
    run.api.send(`${path}/${id}`, { method: 'DELETE', headers: [['X-API-Key', run.apiKey]] });
  const revoked = await revoke();
  expect([revoked.status, revoked.data]).toEqual([200, { id, revokedAt: expect.any(String) }]);
  expect((await client(key).get('/api/account')).status).toBe(401);
  expect((await revoke()).data).toEqual(revoked.data);
  expect((await run.api.get(path)).data.items[0].revokedAt).toBe(revoked.data.revokedAt);
});

test('a key without symbols is of letters and digits only, and works', async () => {
  const { status, data } = await run.api.post(path, { name: 'Plugin', symbols: false });
  expect([status, data.key]).toEqual([201, expect.stringMatching(/^svc_[A-Za-z0-9]{28}$/)]);
  expect((await client(data.key).get('/api/account')).data.credential.id).toBe(data.id);
});

test('another account’s key responds as one that does not exist', async () => {
  const { id } = await createApiKey(run.accountId, 'Mine');
  const revoke = (keyId: string) =>
    run.stranger.send(`${path}/${keyId}`, { method: 'DELETE', headers: [['X-API-Key', run.stranger.key]] });
  const foreign = await revoke(id);
  const missing = await revoke('00000000000000000000000000');
  const total = await revoke('%23total');
  expect([foreign.status, foreign.envelope.message]).toEqual([404, 'API key not found.']);
  expect([missing.text, total.text]).toEqual([foreign.text, foreign.text]);
});

test.each([
  [{}, 'name'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: 'x', key: 'mine' }, 'key is not a field'],
  [{ name: 'x', symbols: 'no' }, 'symbols must be true or false'],
])('%j makes no key', async (body, fault) => {
  const response = await run.api.post(path, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
});

test('of two keys with one visible prefix both work, and revoking one leaves the other', async () => {
  const prefix = 'svc_Same';
  const twins = await Promise.all(
    [newId(), newId()].map(async (id) => {
      const key = prefix + generateApiKey().slice(8);
      const item = { hash: hashApiKey(key), id, accountId: run.accountId, prefix };
      await dynamodb().send(new PutCommand({ TableName: tableName('apiKeys'), Item: item }));
      const record = { ...item, name: id, createdAt: new Date().toISOString() };
      await dynamodb().send(new PutCommand({ TableName: tableName('accountApiKeys'), Item: record }));
      return { id, key };
    }),
  );
  const statuses = () =>
    Promise.all(twins.map(async ({ key }) => (await client(key).get('/api/account')).status));
  expect(await statuses()).toEqual([200, 200]);
  await revokeApiKey(run.accountId, twins[0]?.id ?? '');
  expect(await statuses()).toEqual([401, 200]);
});

test('a disabled account’s keys and users are refused at once, none can be made, and enabling lets them in', async () => {
  const { accountId } = await createAccount('Closing');
  const { key } = await createApiKey(accountId, 'Key');
  const username = await makeUser(accountId);
  const token = await tokenOf(run.api, username);
  await disableAccount(accountId);
  const refused = await client(key).get('/api/account');
  expect([refused.status, refused.envelope.message]).toEqual([
    401,
    'The account is disabled. Ask whoever runs the service.',
  ]);
  expect((await withToken(run.api, token).get('/api/account')).status).toBe(401);
  expect((await login(run.api, username)).status).toBe(401);
  await expect(createApiKey(accountId, 'Late')).rejects.toThrow('Account not found.');
  await expect(makeUser(accountId)).rejects.toThrow('Account not found.');
  await enableAccount(accountId);
  expect((await client(key).get('/api/account')).status).toBe(200);
  expect((await login(run.api, username)).status).toBe(200);
});

test('one write unit for the first use in a second, one read unit for the others of that process', async () => {
  const { key } = await createApiKey(run.accountId, 'Counted');
  const second = () => Math.floor(Date.now() / 1_000);
  let begun: number;
  // Until all of them fall into one second.
  do {
    await sleep(1_010 - (Date.now() % 1_000));
    begun = second();
    run.aws.calls.length = 0;
    for (let index = 0; index < 5; index += 1) await client(key).get('/api/account');
  } while (second() !== begun);
  const units = run.aws.calls
    .filter(({ functionName }) => functionName.endsWith('authorizer'))
    .map(({ writeUnits, readUnits }) => [writeUnits, readUnits]);
  expect(units).toEqual([
    [1, 0],
    [0, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

const requests = volume(40, 2_000);
const workerCount = 20;

test(`${requests} requests on one key, two thirds of its writes throttled: no good key is refused`, async () => {
  const { key } = await createApiKey(run.accountId, 'Hot');
  let writes = 0;
  run.aws.fault = (operation) => {
    if (operation !== 'dynamodb:UpdateItem') return undefined;
    writes += 1;
    return writes % 3 === 0 ? undefined : { type: 'ProvisionedThroughputExceededException' };
  };
  const statuses = new Map<number, number>();
  const worker = async (): Promise<void> => {
    for (let index = 0; index < requests / workerCount; index += 1) {
      const { status } = await client(key).get('/api/property?pageSize=1');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: workerCount }, worker));
  run.aws.fault = () => undefined;
  expect([...statuses]).toEqual([[200, requests]]);
  expect(writes).toBeGreaterThan(10);
});

/** Keeps asking before, during and after the end, and counts what started before and after its response. */
async function underLoad(ask: () => Promise<{ status: number }>, end: () => Promise<unknown>) {
  const counts = { before: 0, after: 0 };
  let asked = 0;
  let endedAt = Number.POSITIVE_INFINITY;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const startedAt = performance.now();
      const { status } = await ask();
      const moment = startedAt < endedAt ? 'before' : 'after';
      if (moment === 'after') asked += 1;
      if (status === 200) counts[moment] += 1;
    }
  };
  const workers = Array.from({ length: 6 }, worker);
  await eventually(
    async () => counts.before,
    (before) => before >= 20,
  );
  await end();
  endedAt = performance.now();
  await eventually(
    async () => asked,
    (count) => count >= 36,
  );
  isOver = true;
  await Promise.all(workers);
  return counts;
}

test('nothing that starts after the response to a revocation, a disabling, a logout or a change succeeds', async () => {
  const { key, id } = await createApiKey(run.accountId, 'Loaded');
  const { accountId } = await createAccount('Loaded');
  const { key: accountKey } = await createApiKey(accountId, 'Loaded');
  const username = await makeUser(run.accountId);
  const leaver = withToken(run.api, await tokenOf(run.api, username));
  const changer = withToken(run.api, await tokenOf(run.api, await makeUser(run.accountId)));
  const ends = {
    revocation: [() => client(key).get('/api/account'), () => revokeApiKey(run.accountId, id)],
    disabling: [() => client(accountKey).get('/api/account'), () => disableAccount(accountId)],
    logout: [() => leaver.get('/api/account'), () => leaver.post('/api/Auth/logout')],
    password: [
      () => changer.get('/api/account'),
      () =>
        changer.post('/api/Auth/password', {
          currentPassword: 'correct horse battery staple',
          newPassword: 'another long password',
        }),
    ],
  } as const;
  const enroller = withToken(run.api, await tokenOf(run.api, await makeUser(run.accountId)));
  const { secret } = (await enroller.post('/api/Auth/2fa/setup')).data;
  const disabledName = await makeUser(run.accountId);
  const disabled = withToken(run.api, await tokenOf(run.api, disabledName));
  const more = {
    'second factor': [
      () => enroller.get('/api/account'),
      () => enroller.post('/api/Auth/2fa/enable', { code: codeOf(secret) }),
    ],
    'user disabling': [
      () => disabled.get('/api/account'),
      () => changeUser(disabledName, { set: { status: 'disabled' }, ...revokeTokens }),
    ],
  } as const;
  for (const [name, [ask, end]] of Object.entries({ ...ends, ...more })) {
    const { before, after } = await underLoad(ask, end);
    expect([name, before >= 20, after]).toEqual([name, true, 0]);
  }
});

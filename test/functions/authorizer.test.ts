import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey, listAllApiKeys, revokeApiKey } from '../../shared/account/account-api-key-table.ts';
import { generateApiKey } from '../../shared/auth/api-key.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;
let revoked: string;

beforeAll(async () => {
  run = await joinSharedRun();
  const { id, key } = await createApiKey(run.accountId, 'Revoked');
  await revokeApiKey(run.accountId, id);
  revoked = key;
});
afterAll(() => run.end());

/** The gateway's authorizer takes the documented spelling, the fallback's own code any other. */
const spellings = ['/api/account', '/API/Account/'];

type Headers = readonly (readonly [string, string])[];

const keyMalformed =
  'The API key is malformed. Send the 32 characters starting with svc_ in X-API-Key, with no word before them.';
const keyAsBearer =
  'API keys do not go in the Authorization header. Send the key in X-API-Key, without Bearer.';

const refusals: readonly (readonly [string, (key: string) => Headers, string])[] = [
  [
    'no key',
    () => [],
    'Authentication is required. Send an API key in X-API-Key, or a token of POST /api/Auth/Login in Authorization: Bearer.',
  ],
  [
    'an unknown key',
    () => [['X-API-Key', generateApiKey()]],
    'The API key is not known. Check that it was copied whole.',
  ],
  ['a revoked key', () => [['X-API-Key', revoked]], 'The API key has been revoked. Create a new one.'],
  ['an empty key', () => [['X-API-Key', '']], keyMalformed],
  ['a malformed key', () => [['X-API-Key', 'svc_short']], keyMalformed],
  ['a key with a word before it', (key) => [['X-API-Key', `Bearer ${key}`]], keyMalformed],
  ['a key sent as Bearer', (key) => [['Authorization', `Bearer ${key}`]], keyAsBearer],
  ['a key as the whole Authorization', (key) => [['Authorization', key]], keyAsBearer],
  [
    'another scheme',
    () => [['Authorization', 'Basic dTpw']],
    'The Authorization header must be of the form Bearer ACCESS_TOKEN.',
  ],
  [
    'a token nobody gave',
    () => [['Authorization', 'Bearer a.b.c']],
    'The access token is not valid. Log in again.',
  ],
  [
    'both headers',
    (key) => [
      ['X-API-Key', key],
      ['Authorization', 'Bearer a.b.c'],
    ],
    'Send either X-API-Key or Authorization, not both.',
  ],
  [
    'a key sent twice',
    (key) => [
      ['X-API-Key', key],
      ['x-api-key', key],
    ],
    'The credential header was sent more than once. Send it once.',
  ],
];

describe.each(spellings)('%s', (path) => {
  test.each(refusals)('%s is 401 in the envelope, with its message', async (_, headers, message) => {
    const response = await run.api.send(path, { headers: headers(run.apiKey) });
    expect(response.status).toBe(401);
    expect(response.envelope).toEqual({
      succeeded: false,
      message,
      data: null,
      pageNumber: 0,
      pageSize: 0,
      totalPages: 0,
      totalRecords: 0,
    });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.text).not.toContain(run.apiKey.slice(8));
  });

  test('a good key is let in, whatever the spelling of its header', async () => {
    for (const name of ['X-API-Key', 'x-api-key', 'X-Api-KEY']) {
      const { status, data } = await run.api.send(path, { headers: [[name, run.apiKey]] });
      expect([status, data.id]).toEqual([200, run.accountId]);
    }
  });
});

test('the gateway’s authorizer and the fallback give the same messages', async () => {
  for (const [, headers] of refusals) {
    const [gateway, fallback] = await Promise.all(
      spellings.map((path) => run.api.send(path, { headers: headers(run.apiKey) })),
    );
    expect(fallback?.text).toBe(gateway?.text);
  }
});

test('lastUsedAt moves with a success and not with a failure', async () => {
  const { id: usedId, key } = await createApiKey(run.accountId, 'Used');
  const lastUsedAt = async () =>
    (await listAllApiKeys(run.accountId)).find(({ id }) => id === usedId)?.lastUsedAt ?? null;
  await run.api.send('/api/account', { headers: [['X-API-Key', `${key.slice(0, -1)}~`]] });
  expect(await lastUsedAt()).toBeNull();
  await run.api.send('/api/account', { headers: [['X-API-Key', key]] });
  const first = await lastUsedAt();
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  await revokeApiKey(run.accountId, usedId);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await run.api.send('/api/account', { headers: [['X-API-Key', key]] });
  expect(await lastUsedAt()).toBe(first);
});

test('nothing that starts after the response to a revocation succeeds', async () => {
  const { id, key } = await createApiKey(run.accountId, 'Busy');
  const ask = () => run.api.send('/api/account', { headers: [['X-API-Key', key]] });
  expect((await Promise.all(Array.from({ length: 20 }, ask))).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  await revokeApiKey(run.accountId, id);
  expect((await Promise.all(Array.from({ length: 20 }, ask))).map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, () => 401),
  );
});

test('a throttled table never refuses a good key nor takes a revoked one, and the database away is 503', async () => {
  const { id, key } = await createApiKey(run.accountId, 'Revoked');
  await revokeApiKey(run.accountId, id);
  run.aws.fault = (operation) =>
    operation === 'dynamodb:UpdateItem' ? { type: 'ProvisionedThroughputExceededException' } : undefined;
  const throttled = await run.api.get('/api/account');
  const revoked = await run.api.send('/api/account', { headers: [['X-API-Key', key]] });
  run.aws.fault = () => 'refuse';
  const away = await run.api.get('/api/account');
  run.aws.fault = () => undefined;
  expect([throttled.status, revoked.status]).toEqual([200, 401]);
  expect([away.status, away.headers['retry-after'], away.envelope.message]).toEqual([
    503,
    '5',
    'The service cannot take this request right now. Retry it in a few seconds.',
  ]);
});

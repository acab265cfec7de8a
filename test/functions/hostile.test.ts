import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLoginToken } from '../../shared/auth/login-token-table.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test.each([
  ['a string without end', `"${'\\"'.repeat(120_000)}`],
  ['nesting that the parser takes', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
  ['deep nesting', '['.repeat(120_000)],
  ['deep nesting that ends', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['many fields', JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, 1])))],
  ['many digits', `{"username":${'9'.repeat(250_000)}}`],
])('%s is 400 long before anything times out', async (_, body) => {
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => run.api.send('/api/Auth/Login', { method: 'POST', body })),
  );
  for (const { status, text } of responses) expect([status, text.length < 5_000]).toEqual([400, true]);
});

test.each([
  '{"type":"url","type":"all"}',
  '{"type":"all","soft":false,"soft":true}',
  '{"type":"all","\\u0073oft":false,"soft":true}',
])('a field given twice is 400: %s', async (body) => {
  const response = await run.api.post(`/api/property/${run.propertyId}/purge`, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining('twice')]);
});

test('names that objects have of their own are names like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const response = await run.api.send(`/api/account?${name}=1`, {
      headers: [
        ['X-API-Key', run.apiKey],
        [name, 'x'],
      ],
    });
    expect([name, response.status]).toEqual([name, 200]);
    const list = await run.api.get(`/api/property?${name}=1`);
    expect([name, list.status]).toEqual([name, 400]);
    const body = await run.api.post(`/api/property/${run.propertyId}/purge`, { type: 'all', [name]: 1 });
    expect([name, body.status]).toEqual([name, 400]);
  }
});

test.each([(id: string) => id, () => 'a'.repeat(1_100), () => '%23total', () => '%00', () => '..%2f..'])(
  'an id that names nothing is 404, however it looks',
  async (idOf) => {
    const id = idOf('00000000000000000000000000');
    for (const path of [
      `/api/property/${id}`,
      `/API/property/${id}`,
      `/api/property/${run.propertyId}/purge/${id}`,
      `/API/property/${run.propertyId}/purge/${id}`,
    ]) {
      const response = await run.api.get(path);
      expect([path, response.status]).toEqual([path, 404]);
    }
  },
);

test.each(['a'.repeat(1_100), '%C3%A9'.repeat(400), '%00'])(
  'a key whose id is longer or odder than any is not there to revoke',
  async (id) => {
    for (const path of [`/api/account/api-keys/${id}`, `/API/account/api-keys/${id}`]) {
      const response = await run.api.send(path, { method: 'DELETE', headers: [['X-API-Key', run.apiKey]] });
      expect([response.status, response.envelope.message]).toEqual([404, 'API key not found.']);
    }
  },
);

test('an interim token is not found by a prefix, another case, or spaces around it', async () => {
  const token = await createLoginToken({ username: run.username, tokenVersion: 1 }, new Date());
  for (const odd of [token.slice(0, -1), token.toUpperCase(), ` ${token}`, `${token} `]) {
    const { status } = await run.api.send('/api/Auth/2fa/verify', {
      method: 'POST',
      body: { twoFactorToken: odd, code: '000000' },
    });
    expect(status).toBe(401);
  }
});

import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../infra/local/host/listen.ts';
import { failure, success } from '../../../shared/http/envelope.ts';
import { ApiClient, type ApiResponse } from '../../support/api-client.ts';
import { responseFaults } from '../../support/described-responses.ts';
import { description } from '../../support/description.ts';

const account = {
  id: 'a',
  name: 'Acme',
  createdAt: '2026-11-20T09:30:00.000Z',
  credential: { scheme: 'bearer', username: 'anna@example.com', twoFactorEnabled: true },
};

function responseWith(
  status: number,
  envelope: object,
  headers: object = { 'x-request-id': 'r' },
): ApiResponse {
  return { status, headers, text: '', envelope, data: null } as ApiResponse;
}

function faultsOf(data: object, envelope: object = {}) {
  return responseFaults('GET', '/API/account/?x=y', responseWith(200, { ...success(data), ...envelope }));
}

test('a response as described has no faults, in any spelling of its path', () => {
  expect(faultsOf(account)).toEqual([]);
  expect(responseFaults('GET', '/api/account', responseWith(401, failure('No.')))).toEqual([]);
});

test.each([
  ['a field too many', { ...account, colour: 'red' }, 'must NOT have additional properties'],
  ['a nested field too many', { ...account, credential: { ...account.credential, x: 1 } }, 'must'],
  ['a field too few', { id: 'a' }, "must have required property 'name'"],
  ['a wrong type', { ...account, name: 7 }, '/data/name must be string'],
  ['a time without milliseconds', { ...account, createdAt: '2026-11-20T09:30:00Z' }, 'must match format'],
  ['a value outside an enumeration', { ...account, credential: { scheme: 'none' } }, 'allowed values'],
])('%s is a fault', (_, data, fault) => {
  expect(faultsOf(data).join()).toContain(fault);
});

test('what is no envelope is a fault', () => {
  expect(faultsOf(account, { extra: 1 })).toEqual(['it is not in the envelope']);
  expect(faultsOf(account, { pageSize: 'x' })).toEqual(['/pageSize must be integer']);
  expect(responseFaults('GET', '/api/account', responseWith(401, success({})))).toHaveLength(2);
});

test('a status or a header that is not described is a fault', () => {
  expect(responseFaults('GET', '/api/account', responseWith(409, failure('No.')))).toEqual([
    'accountGet does not respond with 409',
  ]);
  const headers = { etag: '"1"' };
  expect(responseFaults('GET', '/api/account', responseWith(401, failure('No.'), headers))).toEqual([
    'it lacks X-Request-Id',
    'it carries ETag',
  ]);
});

test('other paths and methods are not described', () => {
  const nothing = responseWith(404, {});
  for (const [method, path] of [
    ['GET', '/api/nothing'],
    ['PUT', '/api/account'],
    ['HEAD', '/api/account'],
  ] as const) {
    expect(responseFaults(method, path, nothing)).toEqual([]);
  }
});

const liar = createServer((_, response) => {
  response.setHeader('X-Request-Id', 'r').end(JSON.stringify(success({ ...account, colour: 'red' })));
});
let baseUrl: string;

beforeAll(async () => {
  baseUrl = `http://127.0.0.1:${await listen(liar, 0, 'a free port')}`;
});
afterAll(() => liar.close());

test('every test’s client fails on such a response', async () => {
  const asked = new ApiClient(baseUrl, 'key').get('/api/account');
  await expect(asked).rejects.toThrow(
    'GET /api/account responded with 200 other than described: /data must NOT have additional properties',
  );
});

test('the description knows every field of the envelope', () => {
  expect(Object.keys(description().components.schemas.Envelope?.properties ?? {})).toEqual(
    Object.keys(success({})),
  );
});

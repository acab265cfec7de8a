import { readFileSync } from 'node:fs';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test('every spelling of a path does the same', async () => {
  const id = run.propertyId;
  for (const path of [
    `/api/property/${id}/purge`,
    `/API/Property/${id}/PURGE`,
    `/api/property/${id}/purge/`,
    `/Api/PROPERTY/${id}/Purge/`,
    `/api/%70roperty/${id}/purge`,
    `//api/property/${id}/purge`,
    `///API/property/${id}/purge/`,
  ]) {
    const response = await run.api.post(path, { type: 'all' });
    expect([path, response.status, response.data.jobCount]).toEqual([path, 200, 1]);
    const invalid = await run.api.post(path, { type: 'none' });
    expect([path, invalid.status]).toEqual([path, 400]);
  }
});

test('a base address that ends in a slash needs a credential all the same', async () => {
  const own = await run.api.get('//api/account');
  expect([own.status, own.data.id]).toEqual([200, run.accountId]);
  const { status, envelope: refused } = await run.api.send('//api/account');
  expect([status, refused]).toEqual([401, (await run.api.send('/api/account')).envelope]);
});

test('an empty id is not passed over', async () => {
  const response = await run.api.get('/api/property//purge');
  expect(response.status).toBe(404);
});

test('ids keep their case', async () => {
  const response = await run.api.get(`/API/property/${run.propertyId.toUpperCase()}`);
  expect([response.status, response.envelope.message]).toEqual([404, 'Property not found.']);
});

test('query and body reach the endpoint', async () => {
  for (const path of ['/API/property', '//api/property']) {
    const response = await run.api.get(`${path}?pageSize=7`);
    expect([path, response.status, response.envelope.pageSize]).toEqual([path, 200, 7]);
  }
});

function credentials(): Record<string, [string, string][]> {
  return {
    'without credentials': [],
    'with a key': [['X-API-Key', run.apiKey]],
    'with an Authorization header': [['Authorization', 'Bearer a.b.c']],
    'with an AWS signature': [
      ['Authorization', 'AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=z, Signature=w'],
    ],
    'with a key and an Authorization header': [
      ['X-API-Key', run.apiKey],
      ['Authorization', 'Bearer a.b.c'],
    ],
  };
}

function envelope(message: string) {
  return {
    succeeded: false,
    message: expect.stringContaining(message),
    data: null,
    pageNumber: 0,
    pageSize: 0,
    totalPages: 0,
    totalRecords: 0,
  };
}

describe.each([
  'without credentials',
  'with a key',
  'with an Authorization header',
  'with an AWS signature',
  'with a key and an Authorization header',
])('%s', (name) => {
  test.each([
    '/api',
    '/api/nothing',
    '/api/property/x/y/z',
    '/favicon.ico',
    '/api//account',
    '//api//account',
    '/api/%zz',
  ])('the unknown path %s is 404', async (path) => {
    const response = await run.api.send(path, { headers: credentials()[name] ?? [] });
    expect(response.status).toBe(404);
    expect(response.envelope).toEqual(envelope('no such endpoint'));
  });

  test.each([
    ['/api/property', 'DELETE', 'POST, GET, OPTIONS'],
    ['/API/PROPERTY/', 'PUT', 'POST, GET, OPTIONS'],
    ['//api/property', 'PUT', 'POST, GET, OPTIONS'],
    ['/api/account', 'POST', 'GET, OPTIONS'],
    ['/api/property/x/purge', 'PUT', 'POST, GET, OPTIONS'],
  ])('%s does not take %s: 405 with Allow', async (path, method, allow) => {
    const response = await run.api.send(path, { method, headers: credentials()[name] ?? [] });
    expect([response.status, response.headers.allow]).toEqual([405, allow]);
    expect(response.envelope).toEqual(envelope('does not take that method'));
  });

  test('HEAD is 405 with Allow, and OPTIONS 200 in the envelope', async () => {
    const headers = credentials()[name] ?? [];
    const head = await run.api.send('/api/account', { method: 'HEAD', headers });
    expect([head.status, head.headers.allow]).toEqual([405, 'GET, OPTIONS']);
    const options = await run.api.send('/api/account', { method: 'OPTIONS', headers });
    expect([options.status, options.envelope.succeeded]).toEqual([200, true]);
  });
});

test.each(['/', '//', '/?from=bookmark'])(
  'GET %s is sent on to the description, in the envelope',
  async (path) => {
    const { status, headers, envelope: body } = await run.api.send(path);
    expect([status, headers.location]).toEqual([302, '/swagger']);
    expect(body).toEqual({ ...envelope(''), succeeded: true, message: '', data: {} });
  },
);

test.each([
  ['/', '/swagger'],
  ['//', '/swagger'],
  ['/api', '/api/swagger'],
  ['/api/', '/api/swagger'],
  ['/cdn/v2/', '/cdn/v2/swagger'],
])('where the base address is %s, the way to the description is %s', async (path, location) => {
  const event = JSON.parse(readFileSync('test/events/fallback.json', 'utf8'));
  const requestContext = { ...event.requestContext, path };
  const sent = { ...event, path: '/', requestContext };
  const { headers } = (await run.functions.invoke('CdnManagement-fallback', sent)) as APIGatewayProxyResult;
  expect(headers?.Location).toBe(location);
});

test('the root takes no method but GET', async () => {
  for (const method of ['HEAD', 'POST']) {
    const { status, headers } = await run.api.send('/', { method });
    expect([method, status, headers.allow, headers.location]).toEqual([
      method,
      405,
      'GET, OPTIONS',
      undefined,
    ]);
  }
  expect((await run.api.send('/', { method: 'OPTIONS' })).status).toBe(200);
});

test('an endpoint’s function that crashes is 500, and its request id is in the response', async () => {
  run.aws.fault = (_, { TableName }) =>
    TableName === 'CdnManagement-accounts' ? { type: 'ValidationException' } : undefined;
  const responses = await Promise.all([run.api.get('/api/account'), run.api.get('/API/account')]);
  run.aws.fault = () => undefined;
  for (const { status, headers, envelope: body } of responses) {
    expect([status, body.message]).toEqual([
      500,
      'Something went wrong on our side. Quote the X-Request-Id to support.',
    ]);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('without listed origins nothing speaks of them', async () => {
  const headers = [['Origin', 'https://panel.example.com']] as const;
  for (const method of ['GET', 'OPTIONS']) {
    const response = await run.api.send('/api/account', { method, headers });
    expect([response.headers['access-control-allow-origin'], response.headers.vary]).toEqual([
      undefined,
      undefined,
    ]);
  }
});

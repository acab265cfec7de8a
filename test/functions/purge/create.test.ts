import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { ApiClient } from '../../support/api-client.ts';
import { sequentialDepth } from '../../support/aws-calls.ts';
import { eventually } from '../../support/eventually.ts';
import { getFromEdge } from '../../support/get-from-edge.ts';
import { makeUser, tokenOf, withToken } from '../../support/identity.ts';
import { queuedPurges } from '../../support/queued-purges.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await joinSharedRun();
  path = `/api/property/${run.propertyId}/purge`;
});
afterAll(() => run.end());

function queued() {
  return queuedPurges(run);
}

test('what was cached is gone soon after the response', async () => {
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/page')).cache).toBe('MISS');
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/page')).cache).toBe('HIT');
  const response = await run.api.post(path, { type: 'all' });
  expect(response.status).toBe(200);
  expect(response.envelope).toEqual({
    succeeded: true,
    message: '',
    data: { jobCount: 1, purgeId: expect.any(String) },
    pageNumber: 0,
    pageSize: 0,
    totalPages: 0,
    totalRecords: 0,
  });
  await eventually(
    () => getFromEdge(run.edgeUrl, run.hostname, '/page'),
    ({ cache }) => cache === 'MISS',
  );
});

test('the status responds at once, becomes completed and names the edge', async () => {
  const { data } = await run.api.post(path, {
    type: 'url',
    urls: ['/a', '/a#x', `https://${run.hostname}/b`],
  });
  expect(data.jobCount).toBe(2);
  const first = await run.api.get(`${path}/${data.purgeId}`);
  expect(first.status).toBe(200);
  const { data: purge } = await eventually(
    () => run.api.get(`${path}/${data.purgeId}`),
    (response) => response.data.status === 'completed',
  );
  expect(purge).toEqual({
    id: data.purgeId,
    type: 'url',
    soft: false,
    values: ['/a', `https://${run.hostname}/b`],
    status: 'completed',
    jobCount: 2,
    completedJobs: 2,
    failedJobs: 0,
    edges: [
      {
        id: 'embedded',
        tier: 'edge',
        status: 'completed',
        attempts: 1,
        removed: 0,
        completedAt: expect.any(String),
      },
    ],
    requestedBy: { scheme: 'apiKey', id: expect.any(String), prefix: run.apiKey.slice(0, 8) },
    createdAt: expect.any(String),
    completedAt: expect.any(String),
  });
});

test('a purge that is waited for responds when it is done on every edge, a retry too', async () => {
  for (let round = 0; round < 5; round += 1) {
    await getFromEdge(run.edgeUrl, run.hostname, '/waited');
    const { status, data } = await run.api.post(`${path}?wait=10`, { type: 'all' });
    expect([status, data.status, data.edges.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      'completed',
      ['embedded'],
    ]);
    expect((await getFromEdge(run.edgeUrl, run.hostname, '/waited')).cache).toBe('MISS');
  }
  const headers = [
    ['X-API-Key', run.apiKey],
    ['Idempotency-Key', 'waited'],
  ] as const;
  const send = (query: string) =>
    run.api.send(path + query, { method: 'POST', headers, body: { type: 'url', urls: ['/waited'] } });
  const first = await send('');
  const retried = await send('?wait=10');
  expect(first.data).toEqual({ jobCount: 1, purgeId: expect.any(String) });
  expect(retried.data).toEqual({ ...first.data, status: 'completed', edges: [expect.anything()] });
});

test('30 waiters at once, in any spelling of the path, each get the end of their own purge', async () => {
  const waiters = Array.from({ length: 30 }, (_, index) => index);
  const spellings = [path, `/API/Property/${run.propertyId}/PURGE/`];
  const responses = await Promise.all(
    waiters.map((index) =>
      run.api.post(`${spellings[index % 2]}?wait=10`, { type: 'url', urls: [`/waiter/${index}`] }),
    ),
  );
  for (const { status, data } of responses) {
    expect([status, data]).toEqual([
      200,
      { jobCount: 1, purgeId: expect.any(String), status: 'completed', edges: [expect.anything()] },
    ]);
  }
  expect(new Set(responses.map(({ data }) => data.purgeId)).size).toBe(waiters.length);
});

test.each(['', '-1', '11', '1.5', '1s', ' 1'])('wait=%j is refused, and nothing queued', async (wait) => {
  const before = queued();
  const response = await run.api.post(`${path}?wait=${encodeURIComponent(wait)}`, { type: 'all' });
  expect([response.status, response.envelope.message]).toEqual([
    400,
    'Invalid request: wait must be a whole number of seconds from 0 to 10.',
  ]);
  expect(queued()).toBe(before);
});

test('a purge that is done is the same bytes however often it is read', async () => {
  const user = withToken(run.api, await tokenOf(run.api, await makeUser(run.accountId)));
  const bySchemes = [
    [run.api, ['scheme', 'id', 'prefix']],
    [user, ['scheme', 'username', 'twoFactorEnabled']],
  ] as const;
  for (const [api, fields] of bySchemes) {
    const { purgeId } = (await api.post(path, { type: 'all' })).data;
    const { data, text } = await eventually(
      () => run.api.get(`${path}/${purgeId}`),
      (response) => response.data.status === 'completed',
    );
    const { values: _, edges: __, ...summary } = data;
    expect(Object.keys(summary.requestedBy)).toEqual(fields);
    for (let count = 0; count < 10; count += 1) {
      expect((await run.api.get(`${path}/${purgeId}`)).text).toBe(text);
      const [listed] = (await run.api.get(`${path}?pageSize=1`)).data.items;
      expect(JSON.stringify(listed)).toBe(JSON.stringify(summary));
    }
  }
});

test('a url purge takes that URL and nothing else', async () => {
  for (const page of ['/one', '/two']) await getFromEdge(run.edgeUrl, run.hostname, page);
  await run.api.post(path, { type: 'url', urls: ['/one'] });
  await eventually(
    () => getFromEdge(run.edgeUrl, run.hostname, '/one'),
    ({ cache }) => cache === 'MISS',
    1_000,
  );
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/two')).cache).toBe('HIT');
});

test('an asterisk at the end of a URL is purged by its escape, however the visitor wrote it', async () => {
  const spellings = ['/star*', '/star%2A', '/star%2a'];
  for (const page of spellings) await getFromEdge(run.edgeUrl, run.hostname, page);
  const purge = { type: 'url', urls: ['/star%2a'] };
  expect((await run.api.post(`${path}?wait=10`, purge)).data.status).toBe('completed');
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/star*')).cache).toBe('MISS');
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/star%2A')).cache).toBe('MISS');
});

test.each([
  ['//HOST/two-slashes', (host: string) => `//${host}/two-slashes`],
  ['//HOST:8080/two-slashes', (host: string) => `//${host.toUpperCase()}:8080/two-slashes`],
  ['/\\HOST/two-slashes', (host: string) => `/\\${host}/two-slashes`],
])('the URL %s is one of that host', async (_, urlOn) => {
  const url = urlOn(run.hostname);
  await getFromEdge(run.edgeUrl, run.hostname, '/two-slashes');
  expect((await getFromEdge(run.edgeUrl, run.hostname, '/two-slashes')).cache).toBe('HIT');
  const { data } = await run.api.post(path, {
    type: 'url',
    urls: [url, `https://${run.hostname}/two-slashes`],
  });
  expect(data.jobCount).toBe(1);
  await eventually(
    () => getFromEdge(run.edgeUrl, run.hostname, '/two-slashes'),
    ({ cache }) => cache === 'MISS',
    1_000,
  );
  const { values } = (await run.api.get(`${path}/${data.purgeId}`)).data;
  expect(values).toEqual([`https://${run.hostname}/two-slashes`]);
});

test('a prefix of two slashes and a host is one of that host', async () => {
  const { data } = await run.api.post(path, { type: 'prefix', prefixes: [`//${run.hostname}/news/`] });
  const { values } = (await run.api.get(`${path}/${data.purgeId}`)).data;
  expect(values).toEqual([`https://${run.hostname}/news/`]);
});

/** Holds a function's calls of these operations until it has made them all, which it never does one after another. */
function holdTogether(functionName: string, ...operations: readonly string[]): void {
  const missing = [...operations];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  run.aws.fault = (operation, _, caller) => {
    const index = missing.indexOf(operation);
    if (caller !== functionName || index < 0) return undefined;
    missing.splice(index, 1);
    if (missing.length === 0) resolve(undefined);
    return promise;
  };
}

test('an authenticated purge makes three sequential AWS calls, an authentication one write unit', async () => {
  // What edges there are is then known to the function.
  await run.api.post(path, { type: 'all' });
  // Its first use in this second.
  const api = new ApiClient(run.baseUrl, (await createApiKey(run.accountId, 'Fresh')).key);
  holdTogether(
    'CdnManagement-purge-create',
    ...['dynamodb:PutItem', 'dynamodb:UpdateItem', 'sqs:SendMessage'],
  );
  run.aws.calls.length = 0;
  const { status } = await api.post(path, { type: 'url', urls: ['/x'] });
  run.aws.fault = () => undefined;
  expect(status).toBe(200);
  const calls = run.aws.calls.filter(({ functionName }) => /-(authorizer|purge-create)$/.test(functionName));
  expect(calls.map(({ operation }) => operation).sort()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem',
    'sqs:SendMessage',
  ]);
  expect(sequentialDepth(calls)).toBe(3);
  const authentication = calls.filter(({ functionName }) => functionName.endsWith('authorizer'));
  expect(authentication.map(({ writeUnits, readUnits }) => [writeUnits, readUnits])).toEqual([[1, 0]]);
});

test('a property of another account responds byte for byte as one that does not exist', async () => {
  const foreign = await run.stranger.post(path, { type: 'all' });
  const missing = await run.stranger.post('/api/property/00000000000000000000000000/purge', { type: 'all' });
  const malformed = await run.stranger.post('/api/property/nonsense/purge', { type: 'all' });
  expect(foreign.status).toBe(404);
  expect(foreign.envelope.message).toBe('Property not found.');
  expect(missing.text).toBe(foreign.text);
  expect(malformed.text).toBe(foreign.text);
  const comparable = ({ headers }: typeof foreign) => {
    const { date, 'x-request-id': _, 'x-amzn-requestid': __, ...rest } = headers;
    return rest;
  };
  expect(comparable(missing)).toEqual(comparable(foreign));
});

const manyUrls = Array.from({ length: 1_001 }, (_, index) => `/p/${index}`);

test.each([
  ['not JSON', '{"type":', 400, 'not valid JSON'],
  ['empty', '', 400, 'empty'],
  ['an array', '["all"]', 400, 'the body must be a JSON object'],
  ['null', 'null', 400, 'the body must be a JSON object'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'not valid UTF-8'],
  ['a lone surrogate', '{"type":"url","urls":["/\\ud800"]}', 400, 'not valid Unicode'],
  ['U+FFFE', '{"type":"url","urls":["/\\ufffe"]}', 400, 'not valid Unicode'],
  ['__proto__', '{"type":"all","__proto__":{}}', 400, 'not valid JSON'],
  ['a number no double holds', '{"type":"all","soft":1e999}', 400, 'number'],
  ['no type', {}, 400, 'type must be one of all, url, prefix, tag, hostname'],
  ['an unknown type', { type: 'everything' }, 400, 'type must be one of'],
  ['a type of another type', { type: 1 }, 400, 'type must be one of'],
  ['an unknown field', { type: 'all', url: '/x' }, 400, 'url is not a field'],
  ['a field of another purge type', { type: 'all', urls: ['/x'] }, 400, 'urls is not a field'],
  ['no urls', { type: 'url' }, 400, 'urls'],
  ['an empty list', { type: 'url', urls: [] }, 400, 'urls must hold at least one value'],
  ['a nested value', { type: 'url', urls: [['/x']] }, 400, 'urls[0] must be a string'],
  ['1,001 URLs', { type: 'url', urls: manyUrls }, 400, 'at most 1000 values'],
  ['control characters', { type: 'url', urls: ['/a\u0000b'] }, 400, 'control characters'],
  ['a tab inside an array’s value', { type: 'url', urls: ['/a\tb'] }, 400, 'control characters'],
  ['a soft that is no boolean', { type: 'all', soft: 'yes' }, 400, 'soft must be true or false'],
  ['300 KiB', { type: 'url', urls: ['/'.padEnd(300 * 1024, 'x')] }, 413, '256 KiB'],
])('%s is refused, the fault named, and nothing queued', async (_, body, status, fault) => {
  const before = queued();
  const response = await run.api.post(path, body);
  expect([response.status, response.envelope.message]).toEqual([status, expect.stringContaining(fault)]);
  expect(response.envelope).toMatchObject({ succeeded: false, data: null });
  expect(queued()).toBe(before);
});

test.each([
  [[], 200],
  [[['Content-Type', 'application/json; charset=utf-8']], 200],
  [[['Content-Type', 'application/vnd.api+json']], 200],
  [[['Content-Type', 'text/plain']], 200],
  [[['Content-Type', 'application/x-www-form-urlencoded']], 415],
] as const)('content types %j respond %i', async (headers, status) => {
  const credential = ['X-API-Key', run.apiKey] as const;
  const sent = { method: 'POST', headers: [credential, ...headers], body: { type: 'all' } };
  expect((await run.api.send(path, sent)).status).toBe(status);
});

test('joined strings are split as CMS modules send them', async () => {
  const jobCount = async (body: object) => (await run.api.post(path, body)).data.jobCount;
  expect(await jobCount({ type: 'url', urls: '/a|/b\t/c\n/d\r\n/a' })).toBe(4);
  expect(await jobCount({ type: 'tag', tags: 'one,two three|four' })).toBe(4);
  expect(await jobCount({ type: 'hostname', hostnames: run.hostname.toUpperCase() })).toBe(1);
});

test('1,000 URLs go in one message', async () => {
  const before = queued();
  const response = await run.api.post(path, { type: 'url', urls: manyUrls.slice(1) });
  expect([response.status, response.data.jobCount, queued() - before]).toEqual([200, 1_000, 1]);
});

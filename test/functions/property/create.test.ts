import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;
let hosts = 0;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function freshHost(): string {
  return `host-${++hosts}.example.com`;
}

function property(changes: object = {}) {
  return {
    name: 'Site',
    hostnames: [freshHost()],
    origin: { url: 'https://origin.example.com' },
    ...changes,
  };
}

test('a property is made with the defaults, and read back the same', async () => {
  const created = await run.api.post('/api/property', property({ hostnames: ['WWW.Exämple.com'] }));
  expect(created.status).toBe(201);
  expect(created.data).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{26}$/),
    name: 'Site',
    hostnames: ['www.xn--exmple-cua.com'],
    origin: { url: 'https://origin.example.com' },
    status: 'active',
    cache: {
      ttlSeconds: 3600,
      browserTtlSeconds: null,
      staleWhileRevalidateSeconds: 0,
      staleIfErrorSeconds: 0,
      queryString: { mode: 'include', names: [] },
    },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: created.data.createdAt,
    version: 1,
  });
  const read = await run.api.get(`/api/property/${created.data.id}`);
  expect(read.text).toBe(created.text);
});

test('a property is the same bytes however often it is read', async () => {
  const cache = {
    ...{ ttlSeconds: 1, browserTtlSeconds: 2, staleWhileRevalidateSeconds: 3, staleIfErrorSeconds: 4 },
    queryString: { mode: 'allow', names: ['b', 'a'] },
  };
  const origin = { url: 'https://origin.example.com', hostHeader: 'www.example.com' };
  const { data, text } = await run.api.post('/api/property', property({ origin, cache }));
  for (let count = 0; count < 10; count += 1) {
    expect((await run.api.get(`/api/property/${data.id}`)).text).toBe(text);
    const [listed] = (await run.api.get('/api/property?pageSize=1')).data.items;
    expect(JSON.stringify(listed)).toBe(JSON.stringify(data));
  }
});

test('another account’s property reads as one that does not exist', async () => {
  const foreign = await run.stranger.get(`/api/property/${run.propertyId}`);
  const missing = await run.stranger.get('/api/property/00000000000000000000000000');
  expect([foreign.status, foreign.envelope.message]).toEqual([404, 'Property not found.']);
  expect(missing.text).toBe(foreign.text);
});

test.each([
  ['no name', { name: undefined }, 'name'],
  ['an empty name', { name: '' }, 'name must not be empty'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name must be at most 200'],
  ['a name with a control character', { name: 'a\nb' }, 'name must not hold control characters'],
  ['no hostnames', { hostnames: [] }, 'hostnames must hold at least one'],
  ['41 hostnames', { hostnames: Array.from({ length: 41 }, (_, i) => `h${i}.example.com`) }, 'at most 40'],
  ['a hostname with a port', { hostnames: ['a.example.com:80'] }, 'hostnames[0]'],
  ['a hostname with a path', { hostnames: ['a.example.com/x'] }, 'hostnames[0]'],
  ['an address', { hostnames: ['192.0.2.1'] }, 'hostnames[0]'],
  ['one hostname twice', { hostnames: ['a.example.com', 'A.example.com'] }, 'same host name twice'],
  ['no origin', { origin: undefined }, 'origin'],
  ['an origin of another scheme', { origin: { url: 'file:///etc/passwd' } }, 'origin.url'],
  ['an origin with a password', { origin: { url: 'https://u:p@origin.example.com' } }, 'origin.url'],
  [
    'an origin that is too long once escaped',
    { origin: { url: `https://origin.example.com/${'文'.repeat(60)}` } },
    'origin.url must be at most 200 characters long',
  ],
  ['an unknown field', { colour: 'red' }, 'colour is not a field'],
  ['an unknown status', { status: 'gone' }, 'status must be active or paused'],
  ['a negative TTL', { cache: { ttlSeconds: -1 } }, 'cache.ttlSeconds must be 0 or more'],
  ['an unknown mode', { cache: { queryString: { mode: 'some' } } }, 'cache.queryString.mode'],
])('%s is 400, the field named, and nothing stored', async (_, changes, fault) => {
  const before = (await run.api.get('/api/property')).envelope.totalRecords;
  const response = await run.api.post('/api/property', property(changes));
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect((await run.api.get('/api/property')).envelope.totalRecords).toBe(before);
});

test('a message names every field at fault', async () => {
  const { envelope } = await run.api.post('/api/property', { name: 1, hostnames: 'x', extra: true });
  for (const field of ['name', 'hostnames', 'origin', 'extra']) expect(envelope.message).toContain(field);
});

test('of 20 concurrent creates of one hostname over two accounts one wins', async () => {
  const body = property();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? run.api : run.stranger).post('/api/property', body),
    ),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  const losers = responses.filter(({ status }) => status === 409);
  expect(losers).toHaveLength(19);
  expect(losers[0]?.envelope.message).toContain(body.hostnames[0]);
});

test('the list is newest first, in pages that neither repeat nor drop, with the exact total', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Page ${index}`);
  const before = (await run.stranger.get('/api/property')).envelope.totalRecords;
  for (const name of names) await run.stranger.post('/api/property', property({ name }));
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => run.stranger.get(`/api/property?pageNumber=${page}&pageSize=5`)),
  );
  const total = before + names.length;
  expect(
    pages.map(({ envelope }) => [envelope.pageNumber, envelope.pageSize, envelope.totalRecords]),
  ).toEqual([1, 2, 3, 4].map((page) => [page, 5, total]));
  expect(pages[0]?.envelope.totalPages).toBe(Math.ceil(total / 5));
  const listed = pages.flatMap(({ data }) => data.items.map(({ name }: { name: string }) => name));
  expect(listed.slice(0, 12)).toEqual([...names].reverse());
  expect(listed).toHaveLength(total);
});

test.each([
  'pageNumber=0',
  'pageNumber=x',
  'pageSize=0',
  'pageSize=101',
  'pageSize=1.5',
  'pageSize=2&pageSize=3',
])('the query %s is 400', async (query) => {
  const response = await run.api.get(`/api/property?${query}`);
  expect([response.status, response.envelope.data]).toEqual([400, null]);
});

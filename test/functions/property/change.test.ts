import { afterAll, beforeAll, expect, test } from 'vitest';
import { getItem, updateItem } from '../../../shared/aws/table.ts';
import { newId } from '../../../shared/ground/id.ts';
import { hostnames } from '../../../shared/property/hostname-table.ts';
import { updateProperty } from '../../../shared/property/property-change-table.ts';
import { properties } from '../../../shared/property/property-table.ts';
import { createRule } from '../../../shared/rule/create-rule.ts';
import { CreateRule } from '../../../shared/rule/rule.ts';
import { allRules } from '../../../shared/rule/rule-table.ts';
import type { ApiClient, Sent } from '../../support/api-client.ts';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

const creates = volume(20, 50);

let run: TestRun;
let hosts = 0;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function freshHosts(count: number): string[] {
  return Array.from({ length: count }, () => `change-${++hosts}.example.com`);
}

async function create(changes: object = {}) {
  return (
    await run.api.post('/api/property', {
      name: 'Site',
      hostnames: freshHosts(1),
      origin: { url: 'https://origin.example.com', hostHeader: 'www.example.com' },
      ...changes,
    })
  ).data;
}

function call(method: string, id: string, body?: Sent['body'], ifMatch?: string, api: ApiClient = run.api) {
  return api.send(`/api/property/${id}`, {
    method,
    headers: [['X-API-Key', api.key], ...(ifMatch === undefined ? [] : [['If-Match', ifMatch] as const])],
    ...(body !== undefined && { body }),
  });
}

function patch(id: string, body: object, ifMatch?: string) {
  return call('PATCH', id, body, ifMatch);
}

function remove(id: string, ifMatch?: string) {
  return call('DELETE', id, undefined, ifMatch);
}

async function claimOf(hostname: string) {
  return (await getItem(hostnames, { hostname }))?.propertyId;
}

test('a merge patch: named fields change, objects merge, arrays are replaced, null sets back', async () => {
  const before = await create({
    cache: { ttlSeconds: 60, queryString: { mode: 'allow', names: ['a', 'b'] } },
  });
  const [hostname] = freshHosts(1);
  const response = await patch(before.id, {
    name: 'Renamed',
    hostnames: [hostname],
    origin: { hostHeader: null },
    cache: { ttlSeconds: null, browserTtlSeconds: 5, queryString: { names: ['c'] } },
  });
  expect(response.status).toBe(200);
  expect(response.headers.etag).toBe('"2"');
  expect(response.data).toEqual({
    ...before,
    name: 'Renamed',
    hostnames: [hostname],
    origin: { url: 'https://origin.example.com' },
    cache: {
      ...before.cache,
      ttlSeconds: 3600,
      browserTtlSeconds: 5,
      queryString: { mode: 'allow', names: ['c'] },
    },
    updatedAt: response.data.updatedAt,
    version: 2,
  });
  const read = await run.api.get(`/api/property/${before.id}`);
  expect([read.text, read.headers.etag]).toEqual([response.text, '"2"']);
  expect([await claimOf(before.hostnames[0]), await claimOf(hostname ?? '')]).toEqual([undefined, before.id]);
});

test.each([
  [{ name: null }, 'name'],
  [{ hostnames: [] }, 'hostnames must hold at least one'],
  [{ hostnames: null }, 'hostnames'],
  [{ origin: { url: null } }, 'origin.url'],
  [{ origin: { url: 'ftp://x.example' } }, 'origin.url'],
  [{ cache: { ttl: 1 } }, 'cache.ttl is not a field'],
  [{ id: 'x' }, 'id is not a field'],
  [{ version: 7 }, 'version is not a field'],
  [{ status: 'gone' }, 'status'],
  [[], 'the body must be a JSON object'],
])('the patch %j is 400, the field named, and nothing changed', async (body, fault) => {
  const { id } = await create();
  const before = await run.api.get(`/api/property/${id}`);
  const response = await patch(id, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect((await run.api.get(`/api/property/${id}`)).text).toBe(before.text);
});

/** What changes nothing, given the property as it is. */
const idlePatches: Readonly<Record<string, (property: Awaited<ReturnType<typeof create>>) => object>> = {
  'nothing at all': () => ({}),
  'the name that it has': ({ name }) => ({ name }),
  'empty objects': () => ({ origin: {}, cache: { queryString: {} } }),
  'null where the default is': () => ({
    status: null,
    cache: { ttlSeconds: null, queryString: { names: null } },
  }),
  'another spelling of the same': ({ hostnames: [hostname], origin: { url } }) => ({
    hostnames: [hostname.toUpperCase()],
    origin: { url: `${url.replace('https://o', 'HTTPS://O')}//` },
  }),
  everything: ({ id: _, createdAt: __, updatedAt: ___, version: ____, ...settings }) => settings,
};

function writes() {
  return run.aws.calls.filter(({ operation }) => operation === 'dynamodb:TransactWriteItems').length;
}

test.each(Object.entries(idlePatches))(
  'a patch of %s is 200 with the property as it was, and nothing is written',
  async (_, patchOf) => {
    const before = await create({
      origin: { url: 'https://origin.example.com/a//', hostHeader: 'www.example.com' },
      cache: { queryString: { mode: 'ignore' } },
    });
    const { text } = await run.api.get(`/api/property/${before.id}`);
    const written = writes();
    const responses = [
      await patch(before.id, patchOf(before)),
      await patch(before.id, patchOf(before), '"1"'),
    ];
    expect(responses.map(({ status, headers, text }) => [status, headers.etag, text])).toEqual(
      responses.map(() => [200, '"1"', text]),
    );
    expect((await patch(before.id, patchOf(before), '2')).status).toBe(409);
    expect([(await run.api.get(`/api/property/${before.id}`)).text, writes()]).toEqual([text, written]);
  },
);

test('a property with settings of a later version is read, purged and changed', async () => {
  const { id, cache } = await create();
  const later = { ...cache, queryString: { ...cache.queryString, order: 'sorted' }, earlyHints: true };
  await updateItem(properties, { accountId: run.accountId, id }, { set: { cache: later } });
  const read = await run.api.get(`/api/property/${id}`);
  expect([read.status, read.data.cache]).toEqual([200, cache]);
  expect((await run.api.post(`/api/property/${id}/purge`, { type: 'all' })).status).toBe(200);
  expect((await patch(id, { name: 'Changed' })).data.cache).toEqual(cache);
});

test('browsers do as the origin says by default, which a version before this reads too; 0 is kept as 0', async () => {
  const { id, cache } = await create();
  const stored = async () => (await getItem(properties, { accountId: run.accountId, id }))?.cache;
  expect([cache.browserTtlSeconds, await stored()]).toEqual([
    null,
    expect.not.objectContaining({ browserTtlSeconds: null }),
  ]);
  const zero = await patch(id, { cache: { browserTtlSeconds: 0 } });
  expect([zero.data.cache.browserTtlSeconds, (await stored())?.browserTtlSeconds]).toEqual([0, 0]);
  const renamed = await patch(id, { name: 'Renamed' });
  expect(renamed.data.cache).toEqual({ ...cache, browserTtlSeconds: 0 });
  const back = await patch(id, { cache: { browserTtlSeconds: null } });
  expect([back.data.cache, await stored()]).toEqual([
    cache,
    expect.not.objectContaining({ browserTtlSeconds: null }),
  ]);
  expect((await patch(id, { cache: { browserTtlSeconds: null } })).data.version).toBe(back.data.version);
  expect((await run.api.get(`/api/property/${id}`)).data.cache).toEqual(cache);
});

test('40 host names become 40 others, and the old ones are free at once', async () => {
  const [old, others] = [freshHosts(40), freshHosts(40)];
  const { id } = await create({ hostnames: old });
  expect((await patch(id, { hostnames: others })).data.hostnames).toEqual(others);
  expect(await Promise.all([...old, ...others].map(claimOf))).toEqual([
    ...old.map(() => undefined),
    ...others.map(() => id),
  ]);
  expect((await create({ hostnames: old })).hostnames).toEqual(old);
});

test('a host name of another property is 409 and nothing changes', async () => {
  const taken = await create();
  const { id, hostnames } = await create();
  const free = freshHosts(1);
  const response = await patch(id, { name: 'Greedy', hostnames: [...free, ...taken.hostnames] });
  expect([response.status, response.envelope.message]).toEqual([
    409,
    expect.stringContaining(taken.hostnames[0]),
  ]);
  expect((await run.api.get(`/api/property/${id}`)).data).toMatchObject({ name: 'Site', hostnames });
  expect(await claimOf(free[0] ?? '')).toBeUndefined();
});

test('If-Match: the present version in either form, a stale one, and nonsense', async () => {
  const { id } = await create();
  const statuses: number[] = [];
  for (const tag of ['1', '"2"', '"2"', '1', 'x', '*', '3"', '"3'])
    statuses.push((await patch(id, { name: `N${statuses.length}` }, tag)).status);
  expect(statuses).toEqual([200, 200, 409, 409, 400, 400, 400, 400]);
  expect([(await remove(id, '1')).status, (await remove(id, '3')).status]).toEqual([409, 200]);
});

test('of two concurrent patches with one version one is 409', async () => {
  for (let round = 0; round < volume(5, 10); round += 1) {
    const { id } = await create();
    const responses = await Promise.all(['A', 'B'].map((name) => patch(id, { name }, '1')));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test('of concurrent writes that met unseen none is overwritten: 409', async () => {
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  const { id } = await create();
  const names = Array.from({ length: 10 }, (_, index) => `N${index}`);
  const writes = await Promise.allSettled(
    names.map((name) => updateProperty(run.accountId, id, { name }, undefined)),
  );
  const won = writes.filter(({ status }) => status === 'fulfilled').length;
  const refused = writes.filter((write) => write.status === 'rejected' && write.reason.code === 'conflict');
  expect(refused).toHaveLength(10 - won);
  expect((await run.api.get(`/api/property/${id}`)).data.version).toBe(1 + won);
});

test(`of ${creates} concurrent creates of one host name over two accounts one wins`, async () => {
  const body = { name: 'Race', hostnames: freshHosts(1), origin: { url: 'https://origin.example.com' } };
  const responses = await Promise.all(
    Array.from({ length: creates }, (_, index) =>
      (index % 2 ? run.api : run.stranger).post('/api/property', body),
    ),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(creates - 1);
});

test('a deleted property is gone, its host names free, its history readable to nobody', async () => {
  const { id, hostnames } = await create();
  const { purgeId } = (await run.api.post(`/api/property/${id}/purge`, { type: 'all' })).data;
  const total = (await run.api.get('/api/property')).envelope.totalRecords;
  const response = await remove(id);
  expect([response.status, response.data]).toEqual([200, { id }]);
  expect((await run.api.get('/api/property')).envelope.totalRecords).toBe(total - 1);
  expect(await claimOf(hostnames[0])).toBeUndefined();
  for (const path of ['', '/purge', `/purge/${purgeId}`]) {
    expect((await run.api.get(`/api/property/${id}${path}`)).envelope.message).toBe('Property not found.');
  }
  expect((await remove(id)).status).toBe(404);
  expect((await patch(id, { name: 'x' })).status).toBe(404);
});

test('where its rules could not be deleted, a retry deletes them, and nobody else’s does', async () => {
  const { id } = await create();
  const rule = CreateRule.parse({ name: 'Rule', conditions: [], actions: [{ type: 'block' }] });
  await createRule(run.accountId, id, rule, { id: newId(), startedAt: new Date() });
  run.aws.fault = (operation) => (operation === 'dynamodb:BatchWriteItem' ? 'refuse' : undefined);
  expect((await remove(id)).status).toBe(503);
  run.aws.fault = () => undefined;
  expect((await run.api.get(`/api/property/${id}`)).status).toBe(404);
  expect((await call('DELETE', id, undefined, undefined, run.stranger)).status).toBe(404);
  expect((await allRules(id)).length).toBe(1);
  expect((await remove(id)).status).toBe(200);
  expect(await allRules(id)).toEqual([]);
  expect((await remove(id)).status).toBe(404);
});

test('another account’s property is as one that does not exist', async () => {
  const { id } = await create();
  const missing = '00000000000000000000000000';
  for (const method of ['PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { name: 'x' } : undefined;
    const foreign = await call(method, id, body, undefined, run.stranger);
    const none = await call(method, missing, body, undefined, run.stranger);
    expect([foreign.status, foreign.envelope.message, none.text]).toEqual([
      404,
      'Property not found.',
      foreign.text,
    ]);
  }
});

test('the total is exact under concurrent creates and deletes, with conflicting transactions', async () => {
  const before = (await run.stranger.get('/api/property')).envelope.totalRecords;
  conflictEveryThird(run);
  const made = await Promise.all(
    Array.from({ length: 30 }, () =>
      run.stranger.post('/api/property', {
        name: 'Many',
        hostnames: freshHosts(1),
        origin: { url: 'https://origin.example.com' },
      }),
    ),
  );
  await Promise.all(
    made.slice(0, 10).map(({ data }) => call('DELETE', data.id, undefined, undefined, run.stranger)),
  );
  run.aws.fault = () => undefined;
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const { envelope } = await run.stranger.get('/api/property?pageSize=100');
  expect(envelope.totalRecords).toBe(before + 20);
  expect((envelope.data as { items: unknown[] }).items).toHaveLength(before + 20);
});

test('a property with 100 rules is deleted with all of them', async () => {
  const { id } = await create();
  const rule = CreateRule.parse({ name: 'Rule', priority: 1, conditions: [], actions: [{ type: 'block' }] });
  for (let made = 0; made < 100; made += 1)
    await createRule(run.accountId, id, rule, { id: newId(), startedAt: new Date() });
  expect((await allRules(id)).length).toBe(100);
  expect((await remove(id)).status).toBe(200);
  expect(await allRules(id)).toEqual([]);
});

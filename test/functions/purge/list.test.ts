import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getItem, table, updateItem } from '../../../shared/aws/table.ts';
import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { newId } from '../../../shared/ground/id.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import { deleteContent, pack, putContent } from '../../../shared/purge/purge-content-table.ts';
import { type CountedDay, dayOf, keepUntil } from '../../../shared/purge/purge-count-table.ts';
import { shardedKey } from '../../../shared/purge/purge-shards.ts';
import { purges, recordPurge } from '../../../shared/purge/purge-table.ts';
import { countPurge } from '../../../shared/purge/purge-total.ts';
import { acceptedPurge } from '../../support/accepted-purge.ts';
import { eventually } from '../../support/eventually.ts';
import { edgeItems, edgesInService } from '../../support/registry.ts';
import { freshProperty } from '../../support/rules.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await joinSharedRun();
  path = `/api/property/${run.propertyId}/purge`;
});
afterAll(() => run.end());

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id);
}

test('the history is newest first, in pages, without values and edges, filtered by status and type', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    const body = index % 2 ? { type: 'all' } : { type: 'url', urls: [`/${index}`] };
    ids.unshift((await run.api.post(path, body)).data.purgeId);
  }
  await eventually(
    () => run.api.get(`${path}?status=completed`),
    ({ envelope }) => envelope.totalRecords === 7,
  );
  const first = await run.api.get(`${path}?pageSize=4`);
  const second = await run.api.get(`${path}?pageSize=4&pageNumber=2`);
  expect([...idsOf(first.data.items), ...idsOf(second.data.items)]).toEqual(ids);
  expect(first.envelope).toMatchObject({ pageNumber: 1, pageSize: 4, totalPages: 2, totalRecords: 7 });
  expect(Object.keys(first.data.items[0])).toEqual([
    ...[
      'id',
      'type',
      'soft',
      'status',
      'jobCount',
      'completedJobs',
      'failedJobs',
      'requestedBy',
      'createdAt',
    ],
    'completedAt',
  ]);
  const all = await run.api.get(`${path}?type=all`);
  expect([all.envelope.totalRecords, idsOf(all.data.items)]).toEqual([
    3,
    ids.filter((_, index) => index % 2),
  ]);
  expect((await run.api.get(`${path}?status=failed`)).envelope.totalRecords).toBe(0);
  expect((await run.api.get(`${path}?pageNumber=9`)).data.items).toEqual([]);
});

test('a purge whose count failed is in the total of the page that shows it', async () => {
  const { propertyId } = await freshProperty(run);
  const purges = `/api/property/${propertyId}/purge`;
  run.aws.fault = (operation, _, caller) =>
    operation === 'dynamodb:UpdateItem' && caller.endsWith('purge-create') ? 'refuse' : undefined;
  expect((await run.api.post(purges, { type: 'all' })).status).toBe(503);
  run.aws.fault = () => undefined;
  const { data, envelope } = await run.api.get(purges);
  expect([data.items.length, envelope.totalRecords]).toEqual([1, 1]);
});

test('a purge that an edge is still missing is in the history as running', async () => {
  await addEdge(
    { id: 'away', driver: 'varnish', tier: 'edge', secret: 's', url: 'http://127.0.0.1:1' },
    'hash',
  );
  const { purgeId } = (await run.api.post(path, { type: 'all' })).data;
  const running = await eventually(
    () => run.api.get(`${path}?status=running`),
    ({ envelope }) => envelope.totalRecords === 1,
  );
  expect(idsOf(running.data.items)).toEqual([purgeId]);
  await removeEdge('away');
});

/** Takes an edge out of service. @returns what puts it back as it was */
async function takeOut(id: string): Promise<() => Promise<void>> {
  const edge = (await edgesInService()).immediate.find((each) => each.id === id);
  const item = (await edgeItems()).find((each) => each.id === id);
  if (!edge?.secret || !item) throw new Error(`There is no edge ${id} with a secret`);
  const { secret } = edge;
  await removeEdge(id);
  return () => addEdge({ ...edge, secret }, item.tokenHash);
}

test('without edges a purge is completed, edges: []', async () => {
  const putBack = await takeOut('embedded');
  try {
    const { purgeId } = (await run.api.post(path, { type: 'all' })).data;
    const { data } = await eventually(
      () => run.api.get(`${path}/${purgeId}`),
      (response) => response.data.status === 'completed',
    );
    expect([data.edges, data.completedJobs]).toEqual([[], 1]);
  } finally {
    await putBack();
  }
});

test.each(['status=done', 'type=some', 'pageSize=0'])('the query %s is 400', async (query) => {
  expect((await run.api.get(`${path}?${query}`)).status).toBe(400);
});

test('another account’s history, and its purges, respond as a property that does not exist', async () => {
  const { data } = await run.api.get(path);
  const id = data.items[0].id;
  const missing = '/api/property/00000000000000000000000000/purge';
  for (const [foreign, none] of [
    [path, missing],
    [`${path}/${id}`, `${missing}/${id}`],
  ] as const) {
    const response = await run.stranger.get(foreign);
    expect([response.status, response.text]).toEqual([404, (await run.stranger.get(none)).text]);
  }
  const unknown = await run.api.get(`${path}/00000000000000000000000000`);
  expect([unknown.status, unknown.envelope.message]).toEqual([404, 'Purge not found.']);
});

/** Purges as the API leaves them, without their messages. */
async function record(count: number): Promise<void> {
  const purges = Array.from({ length: count }, () => acceptedPurge(run, ['/']));
  await inParallel(purges, 8, (purge) => Promise.all([recordPurge(purge), countPurge(purge)]));
}

test('a purge as a later version stores it is read: what this one does not know is no completion', async () => {
  const purge = acceptedPurge(run, ['/later']);
  await recordPurge(purge);
  const columns = [
    'embedded',
    'edge',
    'skipped',
    1,
    null,
    null,
    null,
    'prefix',
    null,
    null,
    { added: 'later' },
  ];
  const progress = deflateRawSync(JSON.stringify([columns]));
  await updateItem(purges, shardedKey(purge), { set: { progress, startedAt: purge.createdAt, revision: 1 } });
  const { status, data } = await run.api.get(`${path}/${purge.id}`);
  expect([status, data.status, data.edges]).toEqual([
    200,
    'running',
    [{ id: 'embedded', tier: 'edge', status: 'pending', attempts: 1 }],
  ]);
  expect((await run.api.get(path)).status).toBe(200);
});

test('values that are written while the purge is read are shown', async () => {
  const urls = Array.from({ length: 300 }, (_, number) => `/${number}/${newId()}`);
  const purge = acceptedPurge(run, urls);
  await recordPurge(purge);
  let reads = 0;
  run.aws.fault = (_, { TableName }, functionName) => {
    if (TableName !== 'CdnManagement-purge-contents' || functionName !== 'CdnManagement-purge-get')
      return undefined;
    reads += 1;
    return (reads === 1 ? deleteContent(purge) : putContent(purge, pack(purge))).then(() => undefined);
  };
  const { data } = await run.api.get(`${path}/${purge.id}`);
  run.aws.fault = () => undefined;
  expect([reads, data.values]).toEqual([2, purge.values]);
});

test('a first page costs the same with many purges as with few', async () => {
  const units = async () => {
    run.aws.calls.length = 0;
    await run.api.get(path);
    return run.aws.calls
      .filter(({ functionName }) => functionName.endsWith('purge-list'))
      .reduce((sum, { readUnits }) => sum + readUnits, 0);
  };
  await record(20);
  const few = await units();
  await record(volume(100, 300));
  expect((await units()) / few).toBeLessThanOrEqual(1.2);
});

const dayMilliseconds = 24 * 3600 * 1000;
const counts = table<'purgeCounts', CountedDay>('purgeCounts');

async function newProperty(): Promise<string> {
  const name = newId();
  const hostnames = [`${name}.example.com`];
  const body = { name, hostnames, origin: { url: 'https://origin.example.com' } };
  return (await run.api.post('/api/property', body)).data.id;
}

/** A day of the property as it is counted, so many days ago. */
async function seedDay(propertyId: string, ago: number, count: Partial<CountedDay>): Promise<string> {
  const createdAt = new Date(Date.now() - ago * dayMilliseconds).toISOString();
  const { day } = dayOf({ propertyId, createdAt });
  await updateItem(counts, { propertyId, day }, { set: { expiresAt: keepUntil(createdAt), ...count } });
  return day;
}

async function totalOf(propertyId: string): Promise<number> {
  return (await run.api.get(`/api/property/${propertyId}/purge?pageSize=1`)).envelope.totalRecords;
}

/** How often the property's count was written for so many purges. */
async function countWritesOf(propertyId: string, purgeCount: number): Promise<number> {
  run.aws.calls.length = 0;
  for (let number = 0; number < purgeCount; number += 1)
    expect((await run.api.post(`/api/property/${propertyId}/purge`, { type: 'all' })).status).toBe(200);
  return run.aws.calls.filter(
    ({ operation, table: name }) =>
      operation === 'dynamodb:UpdateItem' && name === 'CdnManagement-purge-counts',
  ).length;
}

test('a day with 10,000 purges is counted no further, and the total stays', async () => {
  const propertyId = await newProperty();
  await seedDay(propertyId, 0, { purges: 9_998 });
  await countWritesOf(propertyId, 1);
  expect(await totalOf(propertyId)).toBe(9_999);
  await countWritesOf(propertyId, 1);
  expect([await totalOf(propertyId), await countWritesOf(propertyId, 3)]).toEqual([10_000, 0]);
  expect(await totalOf(propertyId)).toBe(10_000);
});

test('a day that begins after 10,000 purges is not counted, and has its count when the others expire', async () => {
  const propertyId = await newProperty();
  await seedDay(propertyId, 1, { purges: 10_000 });
  expect(await countWritesOf(propertyId, 5)).toBe(2);
  expect(await totalOf(propertyId)).toBe(10_000);
  await seedDay(propertyId, 1, { purges: 3 });
  expect(await totalOf(propertyId)).toBe(8);
});

test('a day that was not counted while it lasted is counted once, when it matters', async () => {
  const propertyId = await newProperty();
  const day = await seedDay(propertyId, 2, { purges: 1, isUncounted: true });
  for (const milliseconds of [0, 1, dayMilliseconds - 1]) {
    const made = new Date(Date.parse(`${day}T00:00:00Z`) + milliseconds);
    await recordPurge({
      ...acceptedPurge(run, ['/']),
      propertyId,
      id: newId(made),
      createdAt: made.toISOString(),
    });
  }
  const nextDay = new Date(Date.parse(`${day}T00:00:00Z`) + dayMilliseconds);
  await recordPurge({
    ...acceptedPurge(run, ['/']),
    propertyId,
    id: newId(nextDay),
    createdAt: nextDay.toISOString(),
  });
  await seedDay(propertyId, 1, { purges: 1 });
  expect(await totalOf(propertyId)).toBe(4);
  expect(await getItem(counts, { propertyId, day })).toMatchObject({ purges: 3 });
  expect(await getItem(counts, { propertyId, day })).not.toHaveProperty('isUncounted');
  expect(await totalOf(propertyId)).toBe(4);
});

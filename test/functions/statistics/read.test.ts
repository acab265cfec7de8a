import { afterAll, beforeAll, expect, test } from 'vitest';
import { dimensionOf } from '../../../shared/statistics/dimension.ts';
import type { Granularity } from '../../../shared/statistics/granularity.ts';
import {
  giveHostname,
  makeEdge,
  makeSite,
  removeMadeEdges,
  sendLines,
  storeRollups,
  varnishLine,
} from '../../support/edge-log.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let run: TestRun;
let paris: string;
let rome: string;

beforeAll(async () => {
  run = await joinSharedRun();
  paris = await makeEdge('paris');
  rome = await makeEdge('rome');
});
afterAll(async () => {
  await removeMadeEdges();
  await run.end();
});

function iso(time: number): string {
  return new Date(time).toISOString();
}

function read(id: string, query = '') {
  return run.api.get(`/api/property/${id}/statistics${query}`);
}

test('the default is the last 24 hours by the hour, whole buckets, zeros where nothing was', async () => {
  const { id } = await makeSite(run.api);
  const before = Date.now();
  const { data } = await read(id);
  expect(data.granularity).toBe('hour');
  expect(Date.parse(data.from)).toBe(Math.floor((before - day) / hour) * hour);
  expect(Date.parse(data.to)).toBe(Math.floor(before / hour) * hour + hour);
  expect(data.series.map(({ time }: { time: string }) => time)).toEqual(
    Array.from({ length: 25 }, (_, index) => iso(Date.parse(data.from) + index * hour)),
  );
  expect(data.series.at(-1).complete).toBe(false);
  expect(data.series.at(0).complete).toBe(true);
  expect(data.totals).toMatchObject({ requests: 0, hitRatio: null });
  expect(data).not.toHaveProperty('groups');
});

test('a minute is complete a minute after its end', async () => {
  const { id } = await makeSite(run.api);
  const now = Date.now();
  const { data } = await read(
    id,
    `?granularity=minute&from=${iso(now - 5 * minute)}&to=${iso(now + 5 * minute)}`,
  );
  for (const { time, complete } of data.series) {
    const end = Date.parse(time) + minute;
    if (end + minute <= now) expect([time, complete]).toEqual([time, true]);
    if (end > now) expect([time, complete]).toEqual([time, false]);
  }
});

test('groups by edge, status and cache have the same sums as the whole', async () => {
  const { id, host } = await makeSite(run.api);
  await sendLines(run.api, paris, [
    varnishLine({ host, bytes: 1 }),
    varnishLine({ host, bytes: 2, handling: 'miss', status: 404 }),
    varnishLine({ host, bytes: 4, handling: 'pass', status: 451 }),
  ]);
  await sendLines(run.api, rome, [
    varnishLine({ host, bytes: 8 }),
    varnishLine({ host, bytes: 16, handling: 'miss', status: 599 }),
    varnishLine({ host, bytes: 32, handling: 'miss', status: 100 }),
  ]);
  const groupsOf = async (groupBy: string) => {
    const { data } = await read(id, `?groupBy=${groupBy}`);
    for (const field of ['requests', 'bytes', 'hits', 'misses', 'passes', 'status4xx'])
      expect(
        data.groups.reduce(
          (sum: number, { totals }: { totals: Record<string, number> }) => sum + (totals[field] ?? 0),
          0,
        ),
      ).toBe(data.totals[field]);
    for (const { series } of data.groups) expect(series).toHaveLength(data.series.length);
    return data.groups.map(({ key, totals }: { key: string; totals: { bytes: number } }) => [
      key,
      totals.bytes,
    ]);
  };
  expect(await groupsOf('edge')).toEqual([
    ['paris', 7],
    ['rome', 56],
  ]);
  expect(await groupsOf('cache')).toEqual([
    ['miss', 50],
    ['hit', 9],
    ['pass', 4],
  ]);
  expect(await groupsOf('status')).toEqual([
    ['200', 9],
    ['1xx', 32],
    ['404', 2],
    ['451', 4],
    ['5xx', 16],
  ]);
  expect(await groupsOf('property')).toEqual([[id, 63]]);
});

test('an account’s numbers are those of its properties', async () => {
  const sites = await Promise.all([1, 2, 3].map(() => makeSite(run.stranger)));
  const lines = sites.flatMap(({ host }, index) =>
    Array.from({ length: 3 - index }, (_, at) => varnishLine({ host, at: Date.now() - at * hour })),
  );
  await sendLines(run.stranger, paris, lines);
  const { data } = await run.stranger.get('/api/statistics?groupBy=property');
  expect(data.totals.requests).toBe(6);
  expect(
    data.groups.map(({ key, totals }: { key: string; totals: { requests: number } }) => [
      key,
      totals.requests,
    ]),
  ).toEqual(sites.map(({ id }, index) => [id, 3 - index]));
  const own = await run.stranger.get(`/api/property/${sites[0]?.id}/statistics`);
  expect(data.groups[0].series).toEqual(own.data.series);
});

test('another account’s property gives to the byte the response for one that does not exist', async () => {
  const { id } = await makeSite(run.stranger);
  const responses = [await read(id), await read('01jc0000000000000000000002'), await read('x')];
  for (const { status, text } of responses) expect([status, text]).toEqual([404, responses[0]?.text]);
  expect(responses[0]?.envelope.message).toBe('Property not found.');
});

test.each([
  ['?from=yesterday', 'from must be a time'],
  ['?to=2026-13-01', 'to must be a time'],
  ['?from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z', 'from must be before to'],
  ['?from=2999-01-01', 'from must be a time'],
  ['?granularity=week', 'granularity must be minute, hour or day'],
  ['?groupBy=country', 'groupBy must be property, edge, status or cache'],
  [
    '?granularity=minute&from=2026-11-01&to=2026-11-20',
    '27360 points apart. Ask for at most 2,000, or take granularity=hour',
  ],
  ['?granularity=day&from=2001-01-01&to=2026-01-01', 'points apart. Ask for at most 2,000.'],
])('%s is 400 and says what to fix', async (query, says) => {
  for (const path of ['/api/statistics', `/api/property/${run.propertyId}/statistics`]) {
    const { status, envelope } = await run.api.get(path + query);
    expect([status, envelope.message]).toEqual([400, expect.stringContaining(says)]);
  }
});

test('exactly 2,000 points are shown, whatever the offset of the times', async () => {
  const from = '2026-11-20T01:00:00%2B01:00';
  const { status, data } = await run.api.get(
    `/api/statistics?granularity=minute&from=${from}&to=2026-11-21T09:20:00Z`,
  );
  expect([status, data.series.length, data.from]).toEqual([200, 2_000, '2026-11-20T00:00:00.000Z']);
});

test('what has expired is never shown, though the database still has it', async () => {
  const { id } = await makeSite(run.api);
  const now = Date.now();
  const store = (granularity: Granularity, ...starts: readonly number[]) => {
    const metrics = new Map([[dimensionOf('hit', 200), { requests: 1, bytes: 1 }]]);
    const rollup = { owner: id, accountId: run.accountId, granularity, edgeId: 'paris', metrics };
    return storeRollups(starts.map((start) => ({ ...rollup, start })));
  };
  const minutes = Math.floor(now / minute) * minute;
  const days = Math.floor(now / day) * day;
  await store('minute', minutes - 35 * day, minutes - 35 * day + 5 * minute);
  await store('day', days - 1_097 * day, days - 1_095 * day);
  const inMinutes = await read(
    id,
    `?granularity=minute&from=${iso(minutes - 36 * day)}&to=${iso(minutes - 35 * day + 10 * minute)}`,
  );
  expect(inMinutes.data.totals.requests).toBe(1);
  const inDays = await read(id, `?granularity=day&from=${iso(days - 1_200 * day)}`);
  expect(inDays.data.totals.requests).toBe(1);
});

test('the busiest hundred properties are shown, exactly, and the rest is other', async () => {
  const token = await makeEdge('busy');
  const sites = await Promise.all(
    Array.from({ length: 130 }, async (_, index) => {
      const host = `busy-${index}.example.com`;
      const propertyId = `busy${String(index).padStart(3, '0')}`;
      await giveHostname(host, { accountId: run.accountId, propertyId });
      return { host, propertyId };
    }),
  );
  const noon = Math.floor(Date.now() / day - 3) * day + 12 * hour;
  const lines = sites.flatMap(({ host }, index) => [
    ...Array.from({ length: index + 1 }, () => varnishLine({ host, at: noon })),
    ...Array.from({ length: 200 - index }, () => varnishLine({ host, at: noon + 5 * hour })),
  ]);
  expect((await sendLines(run.api, token, lines, { gzip: true })).data.accepted).toBe(lines.length);
  const { data } = await run.api.get(
    `/api/statistics?granularity=hour&groupBy=property&from=${iso(noon)}&to=${iso(noon + hour)}`,
  );
  expect(data.groups).toHaveLength(101);
  expect(data.groups.map(({ key }: { key: string }) => key)).toEqual([
    ...sites
      .map(({ propertyId }) => propertyId)
      .slice(30)
      .reverse(),
    'other',
  ]);
  expect(data.groups[0].totals.requests).toBe(130);
  expect(data.groups[100].totals.requests).toBe((30 * 31) / 2);
  const long = await run.api.get(
    `/api/statistics?granularity=minute&groupBy=property&from=${iso(noon)}&to=${iso(noon + 2_000 * minute)}`,
  );
  expect(long.data.groups.map(({ key }: { key: string }) => key).at(-1)).toBe('other');
  expect(JSON.stringify({ body: long.text }).length).toBeLessThan(6 * 1024 * 1024);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../functions/endpoints.ts';
import { cpuMillisecondsOf } from '../../support/cpu-time.ts';
import { freshProperty, missingId, rule } from '../../support/rules.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test('in order of priority, low first, then of id, in pages that neither repeat nor drop', async () => {
  const { path } = await freshProperty(run);
  const priorities = [30, 10, 20, 10, 1_000_000, 0, 10];
  const made: { id: string; priority: number }[] = [];
  for (const priority of priorities) made.push((await run.api.post(path, rule({ priority }))).data);
  const expected = made.sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => run.api.get(`${path}?pageSize=3&pageNumber=${page}`)),
  );
  expect(pages.flatMap(({ data }) => data.items.map(({ id }: { id: string }) => id))).toEqual(expected);
  expect(pages.map(({ data }) => data.items.length)).toEqual([3, 3, 1, 0]);
  expect(pages[1]?.envelope).toMatchObject({ pageNumber: 2, pageSize: 3, totalPages: 3, totalRecords: 7 });
  const [first] = pages[0]?.data.items ?? [];
  expect(first).toEqual((await run.api.get(`${path}/${first.id}`)).data);
});

test('a property without rules has an empty list', async () => {
  const { path } = await freshProperty(run);
  const { status, data, envelope } = await run.api.get(path);
  expect([status, data, envelope.totalRecords, envelope.totalPages]).toEqual([200, { items: [] }, 0, 0]);
});

test.each(['pageNumber=0', 'pageSize=101', 'pageSize=x'])('the query %s is 400', async (query) => {
  const { path } = await freshProperty(run);
  expect((await run.api.get(`${path}?${query}`)).status).toBe(400);
});

test('100 of the largest rules are listed on one page below 6 MB, and tested', async () => {
  const { path, hostname } = await freshProperty(run);
  const values = Array.from({ length: 40 }, (_, index) => `*${'a?'.repeat(95)}${index}*`);
  const large = rule({ priority: 1, conditions: [{ field: 'path', operator: 'wildcard', values }] });
  const made = await Promise.all(Array.from({ length: 100 }, () => run.api.post(path, large)));
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  expect(Buffer.byteLength(JSON.stringify(large))).toBeGreaterThan(7_900);
  const { data, text } = await run.api.get(`${path}?pageSize=100`);
  expect(data.items).toHaveLength(100);
  expect(Buffer.byteLength(text)).toBeGreaterThan(790_000);
  expect(Buffer.byteLength(text)).toBeLessThan(6_000_000);
  // The functions of the run are threads of this process.
  const milliseconds = await cpuMillisecondsOf(async () => {
    const tested = await run.api.post(`${path}/test`, { url: `https://${hostname}/${'a'.repeat(2_000)}` });
    expect([tested.status, tested.data.matched]).toEqual([200, []]);
  });
  expect(milliseconds).toBeLessThan(2_000);
});

const ruleEndpoints = Object.entries(endpoints).filter(([file]) => file.startsWith('rule/'));

const bodies: Readonly<Record<string, object>> = {
  'rule/create': rule(),
  'rule/update': { name: 'x' },
  'rule/test': { url: 'https://www.example.com/' },
};

test('there are six endpoints', () => {
  expect(ruleEndpoints).toHaveLength(6);
});

test.each(ruleEndpoints)(
  '%s: no credential is 401; foreign and missing properties and rules are told apart by nobody',
  async (file, { method, path }) => {
    const own = await freshProperty(run);
    const { id } = (await run.api.post(own.path, rule())).data;
    const call = (propertyId: string, ruleId: string, key?: string) =>
      run.api.send(path.replace('{propertyId}', propertyId).replace('{ruleId}', ruleId), {
        method,
        headers: key === undefined ? [] : [['X-API-Key', key]],
        ...(bodies[file] && { body: bodies[file] }),
      });
    expect((await call(own.propertyId, id)).status).toBe(401);
    const foreign = await call(own.propertyId, id, run.stranger.key);
    const missing = await call(missingId, id, run.stranger.key);
    expect([foreign.status, foreign.envelope.message]).toEqual([404, 'Property not found.']);
    expect(missing.text).toBe(foreign.text);
    if (!path.includes('{ruleId}')) return;
    const other = await freshProperty(run);
    const responses = [
      await call(own.propertyId, missingId, run.apiKey),
      await call(other.propertyId, id, run.apiKey),
    ];
    expect(responses.map(({ status, envelope }) => [status, envelope.message])).toEqual(
      responses.map(() => [404, 'Rule not found.']),
    );
    expect((await run.api.get(`${own.path}/${id}`)).data.version).toBe(1);
  },
);

import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryAll } from '../../../shared/aws/query.ts';
import { ApiError } from '../../../shared/ground/api-error.ts';
import { newId } from '../../../shared/ground/id.ts';
import { createRule } from '../../../shared/rule/create-rule.ts';
import { deleteOrphaned } from '../../../shared/rule/orphaned-rules-table.ts';
import { CreateRule, type Rule } from '../../../shared/rule/rule.ts';
import { deleteRule, updateRule } from '../../../shared/rule/rule-change-table.ts';
import { allRules, getRule, rules } from '../../../shared/rule/rule-table.ts';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { freshProperty, patch, remove, rule } from '../../support/rules.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await joinSharedRun();
  path = (await freshProperty(run)).path;
});
afterAll(() => run.end());

async function create(changes: object = {}) {
  const { data } = await run.api.post(path, rule({ priority: 7, ...changes }));
  return { before: data, one: `${path}/${data.id}` };
}

test('a merge patch: named fields change, arrays are replaced, null sets back', async () => {
  const { before, one } = await create({
    enabled: false,
    match: 'any',
    stop: true,
    conditions: [{ field: 'path', operator: 'exists' }],
  });
  const changed = await patch(run.api, one, { name: 'New', actions: [{ type: 'block' }], conditions: [] });
  expect([changed.status, changed.headers.etag]).toEqual([200, '"2"']);
  expect(changed.data).toEqual({
    ...before,
    name: 'New',
    actions: [{ type: 'block' }],
    conditions: [],
    updatedAt: changed.data.updatedAt,
    version: 2,
  });
  const cleared = await patch(run.api, one, { enabled: null, match: null, stop: null });
  expect(cleared.data).toMatchObject({ enabled: true, match: 'all', stop: false, priority: 7, version: 3 });
  expect((await run.api.get(one)).text).toBe(cleared.text);
});

test('a priority set back puts the rule after all others', async () => {
  const fresh = await freshProperty(run);
  const ids: string[] = [];
  for (const priority of [10, 20, 90]) ids.push((await run.api.post(fresh.path, rule({ priority }))).data.id);
  const moved = await patch(run.api, `${fresh.path}/${ids[0]}`, { priority: null });
  const stayed = await patch(run.api, `${fresh.path}/${ids[0]}`, { priority: null });
  expect([moved.data.priority, stayed.data.priority]).toEqual([100, 100]);
  expect([moved.data.version, stayed.data.version]).toEqual([2, 2]);
});

test('however creates, moves to the end and deletes meet, no two rules come to the same place', async () => {
  const { propertyId } = await freshProperty(run);
  const create = () =>
    createRule(run.accountId, propertyId, CreateRule.parse(rule()), { id: newId(), startedAt: new Date() });
  const [first, second, third, fourth] = [await create(), await create(), await create(), await create()];
  const moveToEnd = ({ id }: Rule) =>
    updateRule(run.accountId, propertyId, id, { priority: null }, undefined).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
    });
  await Promise.all([
    ...Array.from({ length: 12 }, create),
    ...[first, second, first, second, first, second].map(moveToEnd),
    ...[third, fourth].map(({ id }) => deleteRule(run.accountId, propertyId, id, undefined)),
  ]);
  const priorities = (await allRules(propertyId)).map(({ priority }) => priority);
  expect([priorities.length, new Set(priorities).size]).toEqual([14, 14]);
});

test.each([
  [{ name: null }, 'name must be a string'],
  [{ conditions: null }, 'conditions must be an array'],
  [{ actions: null }, 'actions must be an array'],
  [{ actions: [] }, 'actions must hold at least one'],
  [{ actions: [{ type: 'block' }, { type: 'block' }] }, 'actions[1] (block) repeats'],
  [{ conditions: [{ field: 'path', operator: 'equals', values: [null] }] }, 'conditions[0].values[0]'],
  [{ priority: -1 }, 'priority must be'],
  [{ id: 'x' }, 'id is not a field'],
  [{ version: 7 }, 'version is not a field'],
  [[], 'the body must be a JSON object'],
  [
    {
      conditions: [
        { field: 'path', operator: 'equals', values: Array.from({ length: 50 }, () => 'x'.repeat(200)) },
      ],
    },
    'bytes of JSON',
  ],
])('the patch %j is 400, the field named, and nothing changed', async (body, fault) => {
  const { one } = await create();
  const before = await run.api.get(one);
  const response = await patch(run.api, one, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect((await run.api.get(one)).text).toBe(before.text);
});

function writes() {
  return run.aws.calls.filter(({ operation }) => operation === 'dynamodb:TransactWriteItems').length;
}

test.each([
  ['nothing at all', {}],
  ['null where the default is', { enabled: null, match: null, stop: null }],
  ['what it has', { name: 'Rule', priority: 7, conditions: [], actions: [{ seconds: 5, type: 'cacheTtl' }] }],
])('a patch of %s is 200 with the rule as it was, and nothing is written', async (_, body) => {
  const { one } = await create({ actions: [{ type: 'cacheTtl', seconds: 5 }] });
  const { text } = await run.api.get(one);
  const written = writes();
  const responses = [await patch(run.api, one, body), await patch(run.api, one, body, '"1"')];
  expect(responses.map(({ status, headers, text }) => [status, headers.etag, text])).toEqual(
    responses.map(() => [200, '"1"', text]),
  );
  expect((await patch(run.api, one, body, '2')).status).toBe(409);
  expect([(await run.api.get(one)).text, writes()]).toEqual([text, written]);
});

test('If-Match: the present version in either form, a stale one, and nonsense', async () => {
  const { one } = await create();
  const statuses: number[] = [];
  for (const tag of ['1', '"2"', '"2"', '1', 'x', '*', '3"', '"3'])
    statuses.push((await patch(run.api, one, { name: `N${statuses.length}` }, tag)).status);
  expect(statuses).toEqual([200, 200, 409, 409, 400, 400, 400, 400]);
  const removed = [
    await remove(run.api, one, '1'),
    await remove(run.api, one, '"3"'),
    await remove(run.api, one, '3'),
  ];
  expect(removed.map(({ status }) => status)).toEqual([409, 200, 404]);
});

test('of two concurrent patches with one version one is 409, with conflicting transactions', async () => {
  conflictEveryThird(run);
  for (let round = 0; round < volume(5, 10); round += 1) {
    const { one } = await create();
    const responses = await Promise.all(['A', 'B'].map((name) => patch(run.api, one, { name }, '1')));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await run.api.get(one)).data.version).toBe(2);
  }
  run.aws.fault = () => undefined;
  await Promise.all(
    (await run.api.get(`${path}?pageSize=100`)).data.items.map(({ id }: { id: string }) =>
      remove(run.api, `${path}/${id}`),
    ),
  );
});

test('of two concurrent writes that met unseen one is lost to nobody: 409, not overwritten', async () => {
  const { one } = await create();
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) => patch(run.api, one, { priority: 100 + index })),
  );
  const won = responses.filter(({ status }) => status === 200);
  expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect((await run.api.get(one)).data.version).toBe(1 + won.length);
});

test('a deleted rule is gone, and of ten concurrent deletes one succeeds', async () => {
  const { before, one } = await create();
  const total = (await run.api.get(path)).envelope.totalRecords;
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove(run.api, one)));
  expect(responses.filter(({ status }) => status === 200).map(({ data }) => data)).toEqual([
    { id: before.id },
  ]);
  expect(responses.filter(({ status }) => status === 404)).toHaveLength(9);
  expect((await run.api.get(one)).envelope.message).toBe('Rule not found.');
  expect((await patch(run.api, one, { name: 'x' })).status).toBe(404);
  expect((await run.api.get(path)).envelope.totalRecords).toBe(total - 1);
});

/** What the table holds of a property: its rules, and their number. */
function storedOf(propertyId: string) {
  return queryAll(rules, { partition: propertyId });
}

test('no rule, and no count of rules, outlives its property, whatever runs when it is deleted', async () => {
  const { path: doomed, propertyId } = await freshProperty(run);
  const ids: string[] = [];
  for (let made = 0; made < 60; made += 1) {
    const operation = { id: newId(), startedAt: new Date() };
    const input = CreateRule.parse(rule({ priority: 1 }));
    ids.push((await createRule(run.accountId, propertyId, input, operation)).id);
  }
  const during = [
    ...Array.from({ length: 20 }, () => run.api.post(doomed, rule())),
    ...ids.slice(0, 10).map((id) => patch(run.api, `${doomed}/${id}`, { name: 'Late' })),
    ...ids.slice(10, 20).map((id) => remove(run.api, `${doomed}/${id}`)),
  ];
  await remove(run.api, `/api/property/${propertyId}`);
  await deleteOrphaned(propertyId);
  await Promise.all(during);
  expect(await storedOf(propertyId)).toEqual([]);
  expect((await run.api.post(doomed, rule())).envelope.message).toBe('Property not found.');
  expect(await storedOf(propertyId)).toEqual([]);
});

test('the records that count, beside the rules and the properties, are neither', async () => {
  const { path: counted, propertyId } = await freshProperty(run);
  const { data } = await run.api.post(counted, rule());
  const { id, version: _, createdAt: __, updatedAt: ___, ...input } = data;
  const operation = { id, startedAt: new Date() };
  await expect(getRule(run.accountId, propertyId, '#total')).rejects.toThrow('Rule not found.');
  await expect(deleteRule(run.accountId, propertyId, '#total', undefined)).rejects.toThrow('Rule not found.');
  await expect(createRule(run.accountId, '#total', input, operation)).rejects.toThrow('Property not found.');
});

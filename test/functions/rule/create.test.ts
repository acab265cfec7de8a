import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/ground/id.ts';
import { createRule } from '../../../shared/rule/create-rule.ts';
import { CreateRule } from '../../../shared/rule/rule.ts';
import { allRules } from '../../../shared/rule/rule-table.ts';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { freshProperty, missingId, patch, type RulesOfProperty, remove, rule } from '../../support/rules.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

let run: TestRun;
let path: string;
let untouched: RulesOfProperty;

beforeAll(async () => {
  run = await joinSharedRun();
  path = (await freshProperty(run)).path;
  untouched = await freshProperty(run);
});
afterAll(() => run.end());

function equals(field: string, more: object = {}) {
  return { field, operator: 'equals', values: ['a'], ...more };
}

function condition(given: unknown) {
  return rule({ conditions: [equals('path'), given] });
}

function action(given: unknown) {
  return rule({ actions: [{ type: 'forceHttps' }, given] });
}

function operationNow() {
  return { id: newId(), startedAt: new Date() };
}

function many(count: number, value: unknown) {
  return Array.from({ length: count }, () => value);
}

test('a rule is made with the defaults, last, and read back the same', async () => {
  const fresh = await freshProperty(run);
  const created = await run.api.post(fresh.path, rule());
  expect([created.status, created.headers.etag]).toEqual([201, '"1"']);
  expect(created.data).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{26}$/),
    name: 'Rule',
    enabled: true,
    priority: 10,
    match: 'all',
    conditions: [],
    actions: [{ type: 'forceHttps' }],
    stop: false,
    version: 1,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: created.data.createdAt,
  });
  const read = await run.api.get(`${fresh.path}/${created.data.id}`);
  expect([read.status, read.text, read.headers.etag]).toEqual([200, created.text, '"1"']);
});

test('everything that a rule can say is kept as it was said', async () => {
  const conditions = [
    ...['path', 'host', 'scheme', 'method', 'extension'].map((field) => equals(field)),
    ...['query', 'cookie', 'header'].map((field) => equals(field, { name: 'X-Any', negate: true })),
    ...['prefix', 'suffix', 'contains', 'wildcard'].map((operator) =>
      equals('path', { operator, negate: false }),
    ),
    { field: 'query', operator: 'exists', name: 'a b' },
    { field: 'extension', operator: 'exists', negate: true },
  ];
  const actions = [
    { type: 'cacheTtl', seconds: 0 },
    { type: 'browserTtl', seconds: 31_536_000 },
    { type: 'ignoreQueryString', names: ['a'] },
    { type: 'redirect', location: 'https://www.example.com/a?b=c#d', status: 307 },
    { type: 'setRequestHeader', name: 'X-A', value: 'a b' },
    { type: 'setResponseHeader', name: 'Set-Cookie', value: 'a=b' },
    { type: 'removeRequestHeader', name: 'X-B' },
    { type: 'removeResponseHeader', name: 'Server' },
  ];
  const given = { name: 'Ä', enabled: false, priority: 0, match: 'any', conditions, actions, stop: true };
  const { status, data } = await run.api.post(path, given);
  expect([status, data]).toEqual([201, expect.objectContaining(given)]);
  const others = [
    { type: 'bypassCache' },
    { type: 'block' },
    { type: 'ignoreQueryString' },
    { type: 'rewritePath', path: '/' },
  ];
  expect((await run.api.post(path, rule({ actions: others }))).data.actions).toEqual(others);
  for (const status of [301, 302, 303, 307, 308]) {
    const response = await run.api.post(
      path,
      rule({ actions: [{ type: 'redirect', location: '/a', status }] }),
    );
    expect(response.status).toBe(201);
  }
});

test.each([
  ['no name', rule({ name: undefined }), 'name must be a string'],
  ['a name of 201 characters', rule({ name: 'x'.repeat(201) }), 'name must be at most 200'],
  ['no conditions', rule({ conditions: undefined }), 'conditions must be an array'],
  ['no actions', rule({ actions: undefined }), 'actions must be an array'],
  ['an empty list of actions', rule({ actions: [] }), 'actions must hold at least one'],
  ['51 conditions', rule({ conditions: many(51, equals('path')) }), 'conditions must hold at most 50'],
  ['51 actions', rule({ actions: many(51, { type: 'block' }) }), 'actions must hold at most 50'],
  ['an unknown field', rule({ colour: 'red' }), 'colour is not a field'],
  ['a field of the response', rule({ version: 1 }), 'version is not a field'],
  ['a list', [], 'the body must be a JSON object'],
  ['enabled as text', rule({ enabled: 'true' }), 'enabled must be true or false'],
  ['stop as null', rule({ stop: null }), 'stop must be true or false'],
  ['match some', rule({ match: 'some' }), 'match must be all or any'],
  ['a negative priority', rule({ priority: -1 }), 'priority must be a whole number from 0 to 1000000'],
  ['a broken priority', rule({ priority: 1.5 }), 'priority must be a whole number'],
  ['a priority too high', rule({ priority: 1_000_001 }), 'priority must be a whole number'],
  ['a condition that is text', condition('path'), 'conditions[1] must be an object'],
  [
    'an unknown field to look at',
    condition(equals('url')),
    'conditions[1].field must be one of path, host, scheme, method, extension, query, cookie, header',
  ],
  [
    'an unknown operator',
    condition(equals('path', { operator: 'regex' })),
    'conditions[1].operator must be one of equals, prefix, suffix, contains, wildcard, exists',
  ],
  ['a header without a name', condition(equals('header')), 'conditions[1].name must be a string'],
  ['a path with a name', condition(equals('path', { name: 'x' })), 'conditions[1].name is not a field'],
  [
    'a header name with a space',
    condition(equals('header', { name: 'X A' })),
    'conditions[1].name must be a header name',
  ],
  ['no values', condition(equals('path', { values: undefined })), 'conditions[1].values must be an array'],
  [
    'an empty list of values',
    condition(equals('path', { values: [] })),
    'conditions[1].values must hold at least one',
  ],
  [
    '51 values',
    condition(equals('path', { values: many(51, 'a') })),
    'conditions[1].values must hold at most 50',
  ],
  [
    'a value with a control character',
    condition(equals('path', { values: ['a\u0007'] })),
    'conditions[1].values[0] must not hold control',
  ],
  [
    'a value that is a number',
    condition(equals('path', { values: [1] })),
    'conditions[1].values[0] must be a string',
  ],
  [
    'values of exists',
    condition(equals('path', { operator: 'exists' })),
    'conditions[1].values is not a field',
  ],
  [
    'negate as text',
    condition(equals('path', { negate: 'yes' })),
    'conditions[1].negate must be true or false',
  ],
  [
    'a misspelt field of a condition',
    condition(equals('path', { negated: true })),
    'conditions[1].negated is not a field',
  ],
  ['an action that is text', action('block'), 'actions[1] must be an object'],
  ['an unknown action', action({ type: 'explode' }), 'actions[1].type must be one of cacheTtl, browserTtl'],
  ['no seconds', action({ type: 'cacheTtl' }), 'actions[1].seconds must be a whole number'],
  [
    'broken seconds',
    action({ type: 'browserTtl', seconds: 1.5 }),
    'actions[1].seconds must be a whole number',
  ],
  ['negative seconds', action({ type: 'cacheTtl', seconds: -1 }), 'actions[1].seconds must be 0 or more'],
  [
    'seconds of over a year',
    action({ type: 'cacheTtl', seconds: 31_536_001 }),
    'actions[1].seconds must be at most',
  ],
  ['seconds of a block', action({ type: 'block', seconds: 1 }), 'actions[1].seconds is not a field'],
  [
    'no names to ignore',
    action({ type: 'ignoreQueryString', names: [] }),
    'actions[1].names must hold at least one',
  ],
  [
    'a redirect of 200',
    action({ type: 'redirect', location: '/', status: 200 }),
    'actions[1].status must be one of 301, 302, 303, 307, 308',
  ],
  [
    'a redirect without a status',
    action({ type: 'redirect', location: '/' }),
    'actions[1].status must be one of',
  ],
  [
    'a redirect to another scheme',
    action({ type: 'redirect', location: 'javascript:alert(1)', status: 301 }),
    'actions[1].location must be an http or https URL',
  ],
  [
    'a redirect to a host after slashes',
    action({ type: 'redirect', location: '//evil.example', status: 301 }),
    'actions[1].location must be',
  ],
  [
    'a redirect to a relative path',
    action({ type: 'redirect', location: 'a/b', status: 301 }),
    'actions[1].location must be',
  ],
  [
    'a redirect that splits the response',
    action({ type: 'redirect', location: '/a\r\nSet-Cookie: x=y', status: 301 }),
    'actions[1].location must not hold control',
  ],
  [
    'a redirect with a space',
    action({ type: 'redirect', location: '/a b', status: 301 }),
    'actions[1].location must hold neither spaces',
  ],
  [
    'a rewrite to a relative path',
    action({ type: 'rewritePath', path: 'a' }),
    'actions[1].path must be a path',
  ],
  ['a rewrite with a query', action({ type: 'rewritePath', path: '/a?b' }), 'actions[1].path must be a path'],
  [
    'a header without a value',
    action({ type: 'setRequestHeader', name: 'X-A' }),
    'actions[1].value must be a string',
  ],
  [
    'a header that splits the request',
    action({ type: 'setRequestHeader', name: 'X-A', value: 'a\r\nX-B: c' }),
    'actions[1].value must not hold control',
  ],
  [
    'a header value outside ASCII',
    action({ type: 'setResponseHeader', name: 'X-A', value: 'ä' }),
    'actions[1].value must not hold letters outside ASCII',
  ],
  [
    'a header name with a colon',
    action({ type: 'setRequestHeader', name: 'X:A', value: 'a' }),
    'actions[1].name must be a header name',
  ],
  [
    'the header Host',
    action({ type: 'setRequestHeader', name: 'HOST', value: 'a' }),
    'actions[1].name must not name a header that only the edge',
  ],
  [
    'the header Content-Length',
    action({ type: 'removeResponseHeader', name: 'content-length' }),
    'actions[1].name must not name',
  ],
  [
    'the header X-Purge-Keys',
    action({ type: 'setRequestHeader', name: 'X-Purge-Keys', value: 'a' }),
    'actions[1].name must not name',
  ],
  [
    'a header that edges use among themselves',
    action({ type: 'setRequestHeader', name: 'X-CDN-Ttl', value: '1' }),
    'actions[1].name must not name a header that only the edge',
  ],
  [
    'such a header of origins, removed',
    action({ type: 'removeResponseHeader', name: 'x-origin-host' }),
    'actions[1].name must not name',
  ],
  [
    'a reserved header by another spelling',
    action({ type: 'setResponseHeader', name: 'Content_Length', value: '3' }),
    'actions[1].name must not name a header that only the edge',
  ],
  [
    'Set-Cookie on a request',
    action({ type: 'setRequestHeader', name: 'Set-Cookie', value: 'a=b' }),
    'actions[1].name must not name',
  ],
  [
    'an action twice',
    action({ type: 'forceHttps' }),
    'actions[1] (forceHttps) repeats actions[0] (forceHttps)',
  ],
  [
    'two actions that contradict each other',
    rule({ actions: [{ type: 'cacheTtl', seconds: 1 }, { type: 'block' }, { type: 'bypassCache' }] }),
    'actions[2] (bypassCache) contradicts actions[0] (cacheTtl)',
  ],
])('%s is 400, the field named, and nothing stored', async (_, body, fault) => {
  const response = await run.api.post(untouched.path, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect(await allRules(untouched.propertyId)).toEqual([]);
});

/** A rule whose JSON has exactly so many bytes, some of them in letters of two bytes. */
function ruleOf(bytes: number) {
  const whole = { enabled: true, priority: 10, match: 'all', stop: false, name: 'ä'.repeat(100) };
  const withValues = (lastLength: number) =>
    rule({
      ...whole,
      conditions: [equals('path', { values: [...many(40, 'v'.repeat(190)), 'v'.repeat(lastLength)] })],
    });
  return withValues(bytes - Buffer.byteLength(JSON.stringify(withValues(0))));
}

test('a rule of 8 KB is kept, one byte more is 400', async () => {
  const largest = await run.api.post(path, ruleOf(8_192));
  expect(largest.status).toBe(201);
  const { status, envelope } = await run.api.post(path, ruleOf(8_193));
  expect([status, envelope.message]).toEqual([400, expect.stringContaining('8193 bytes')]);
});

test('without a priority a rule goes 10 after the last, and never beyond the highest', async () => {
  const fresh = await freshProperty(run);
  const made: number[] = [];
  for (const priority of [5, undefined, 3, undefined, 999_995, undefined, undefined]) {
    made.push((await run.api.post(fresh.path, rule({ priority }))).data.priority);
  }
  expect(made).toEqual([5, 15, 3, 25, 999_995, 1_000_000, 1_000_000]);
});

test('the last is the last that there is, whatever was deleted or moved before', async () => {
  const fresh = await freshProperty(run);
  const create = async (): Promise<{ id: string; priority: number }> =>
    (await run.api.post(fresh.path, rule())).data;
  const [first, second, third] = [await create(), await create(), await create()];
  await remove(run.api, `${fresh.path}/${third.id}`);
  const again = await create();
  await patch(run.api, `${fresh.path}/${first.id}`, { priority: 95 });
  const behindMoved = await create();
  await patch(run.api, `${fresh.path}/${behindMoved.id}`, { priority: 1 });
  await remove(run.api, `${fresh.path}/${first.id}`);
  const priorities = [first, second, third, again, behindMoved, await create()].map(
    ({ priority }) => priority,
  );
  expect(priorities).toEqual([10, 20, 30, 30, 105, 40]);
});

const concurrent = volume(40, 120);
const there = 120 - concurrent;

test(`of ${concurrent} concurrent creates, with conflicting transactions, ${concurrent - 20} are made beside ${there}, one after the other; the rest are 409`, async () => {
  const fresh = await freshProperty(run);
  for (let made = 0; made < there; made += 1)
    await createRule(run.accountId, fresh.propertyId, CreateRule.parse(rule()), operationNow());
  conflictEveryThird(run);
  const responses = await Promise.all(
    many(concurrent, rule()).map((body) => run.api.post(fresh.path, body as object)),
  );
  run.aws.fault = () => undefined;
  const made = responses.filter(({ status }) => status === 201);
  const refused = responses.filter(({ status }) => status === 409);
  expect([made.length, refused.length]).toEqual([concurrent - 20, 20]);
  expect(refused[0]?.envelope.message).toBe('The property has 100 rules, the most it can. Delete one first.');
  const { envelope, data } = await run.api.get(`${fresh.path}?pageSize=100`);
  expect([envelope.totalRecords, data.items.length]).toEqual([100, 100]);
  const priorities = data.items.map(({ priority }: { priority: number }) => priority);
  expect(priorities).toEqual(many(100, 0).map((_, index) => (index + 1) * 10));
  const freed = made.slice(0, 3).map(({ data: { id } }) => `${fresh.path}/${id}`);
  await Promise.all([...freed, ...freed].map((each) => remove(run.api, each)));
  const again = await Promise.all(many(5, rule()).map((body) => run.api.post(fresh.path, body as object)));
  expect(again.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409]);
});

test('two tries with one Idempotency-Key make one rule', async () => {
  const { path: once } = await freshProperty(run);
  const headers = [
    ['X-API-Key', run.apiKey],
    ['Idempotency-Key', 'k'],
  ] as const;
  const first = await run.api.send(once, { method: 'POST', headers, body: rule() });
  const again = await run.api.send(once, { method: 'POST', headers, body: rule() });
  expect([first.status, again.text]).toEqual([201, first.text]);
  expect((await run.api.get(once)).envelope.totalRecords).toBe(1);
});

test('a try that finds its work done leaves it as it is', async () => {
  const { propertyId } = await freshProperty(run);
  const operation = operationNow();
  const made = await createRule(run.accountId, propertyId, CreateRule.parse(rule()), operation);
  const found = await createRule(
    run.accountId,
    propertyId,
    CreateRule.parse(rule({ name: 'Again' })),
    operation,
  );
  expect(found).toEqual(made);
  expect(await allRules(propertyId)).toEqual([made]);
});

test('another account’s property is as one that does not exist, and nothing is stored', async () => {
  const fresh = await freshProperty(run);
  const foreign = await run.stranger.post(fresh.path, rule());
  const missing = await run.stranger.post(`/api/property/${missingId}/rules`, rule());
  expect([foreign.status, foreign.envelope.message]).toEqual([404, 'Property not found.']);
  expect(missing.text).toBe(foreign.text);
  expect(await allRules(fresh.propertyId)).toEqual([]);
});

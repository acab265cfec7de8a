import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshProperty, patch, type RulesOfProperty, rule } from '../../support/rules.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;
let property: RulesOfProperty;

beforeAll(async () => {
  run = await joinSharedRun();
  property = await freshProperty(run, {
    cache: { ttlSeconds: 60, browserTtlSeconds: 5, queryString: { mode: 'deny', names: ['utm'] } },
  });
});
afterAll(() => run.end());

function ask(body: object) {
  return run.api.post(`${property.path}/test`, body);
}

test('the enabled rules are tried in order of priority, and the treatment says what comes of it', async () => {
  const { path, hostname } = property;
  const images = { field: 'extension', operator: 'equals', values: ['jpg'] };
  const made: Record<string, string> = {};
  for (const [name, changes] of Object.entries({
    last: { priority: 30, actions: [{ type: 'cacheTtl', seconds: 300 }] },
    first: {
      priority: 10,
      conditions: [images],
      actions: [
        { type: 'cacheTtl', seconds: 100 },
        { type: 'rewritePath', path: '/img' },
      ],
    },
    off: { priority: 20, enabled: false, actions: [{ type: 'block' }] },
    mobile: {
      priority: 20,
      conditions: [{ field: 'header', name: 'X-Kind', operator: 'equals', values: ['mobile'] }],
      actions: [{ type: 'redirect', location: '/m', status: 302 }],
    },
  })) {
    made[name] = (await run.api.post(path, rule({ name, ...changes }))).data.id;
  }
  const plain = await ask({ url: `https://${hostname}/a.jpg` });
  expect(plain.status).toBe(200);
  expect(plain.data).toEqual({
    matched: [
      { id: made.first, name: 'first' },
      { id: made.last, name: 'last' },
    ],
    treatment: {
      cacheTtlSeconds: 300,
      browserTtlSeconds: 5,
      bypass: false,
      block: false,
      forceHttps: false,
      ignoreQueryString: ['utm'],
      redirect: null,
      path: '/img',
      requestHeaders: {},
      responseHeaders: {},
      cacheTtlOverridesOrigin: true,
    },
  });
  const mobile = await ask({ url: `https://${hostname}/`, method: 'POST', headers: { 'x-kind': 'mobile' } });
  expect(mobile.data.matched).toEqual([{ id: made.mobile, name: 'mobile' }]);
  expect(mobile.data.treatment).toMatchObject({
    redirect: { location: '/m', status: 302 },
    cacheTtlSeconds: null,
    cacheTtlOverridesOrigin: false,
  });
  await patch(run.api, `${path}/${made.first}`, { stop: true });
  expect((await ask({ url: `https://${hostname}/a.jpg` })).data.matched).toHaveLength(1);
});

test('the host name is compared without regard to case and port', async () => {
  expect((await ask({ url: `HTTP://${property.hostname.toUpperCase()}:8080` })).status).toBe(200);
});

test('a path is what an edge reads out of it, however it is typed; without rules browsers do as the origin says', async () => {
  const { path, hostname } = await freshProperty(run);
  const conditions = [{ field: 'path', operator: 'prefix', values: ['//%61dmin/ü'] }];
  await run.api.post(path, rule({ conditions, actions: [{ type: 'block' }] }));
  const test = async (typed: string) =>
    (await run.api.post(`${path}/test`, { url: `https://${hostname}${typed}` })).data.treatment;
  for (const typed of ['/admin/ü', '/%61dmin/%c3%bc', '//admin///%C3%BC/a?b', '/adm%69n/ü#/../c'])
    expect([typed, (await test(typed)).block]).toEqual([typed, true]);
  expect(await test('/admin%2Fü')).toMatchObject({
    ...{ block: false, cacheTtlSeconds: 3600, browserTtlSeconds: null, cacheTtlOverridesOrigin: false },
  });
});

const pathFault = 'url must hold no segment . or .. in its path, however it is written, and no backslash';

test.each([
  '/x/../admin',
  '/x/%2e%2E/admin',
  '/./admin',
  '/x/.%2e?a',
  '/..%2fadmin',
  '/..#a',
  '\\admin',
  '/x\\..\\admin',
])('the typed path %s is 400, as at an edge', async (typed) => {
  const { status, envelope } = await ask({ url: `https://${property.hostname}${typed}` });
  expect([status, envelope.message]).toEqual([400, expect.stringContaining(pathFault)]);
});

test.each([
  ['no URL', {}, 'url must be a string'],
  ['a path', { url: '/a' }, 'url must be an absolute http or https URL'],
  ['a URL without its scheme', { url: '//www.example.com/a' }, 'url must be an absolute http or https URL'],
  ['backslashes for slashes', { url: 'https:\\\\www.example.com/' }, 'url must be an absolute'],
  ['one slash for two', { url: 'https:/www.example.com/' }, 'url must be an absolute'],
  ['a tab in the URL', { url: 'https://www.example.com/.\t./' }, 'url must not hold control characters'],
  ['another scheme', { url: 'ftp://www.example.com/' }, 'url must be an absolute'],
  ['a password in the URL', { url: 'https://u:p@www.example.com/' }, 'url must be an absolute'],
  ['a URL of over 2 KB', { url: `https://www.example.com/${'a'.repeat(2_048)}` }, 'url must be at most 2048'],
  ['a method with a space', { url: 'https://www.example.com/', method: 'GET /' }, 'method must be a method'],
  ['headers in a list', { url: 'https://www.example.com/', headers: [] }, 'headers must be an object'],
  [
    'a header that is a number',
    { url: 'https://www.example.com/', headers: { A: 1 } },
    'headers.A must be a string',
  ],
  [
    'a header with a newline',
    { url: 'https://www.example.com/', headers: { A: 'a\nb' } },
    'headers.A must not hold control',
  ],
  [
    'a header name with a space',
    { url: 'https://www.example.com/', headers: { 'A b': 'c' } },
    'a field of headers with an unusual name is not a header name.',
  ],
  [
    'a header that is a number, under a name that is not repeated',
    { url: 'https://www.example.com/', headers: { 'X-Kind': 1 } },
    ': a field of headers with an unusual name must be a string.',
  ],
  [
    '101 headers',
    {
      url: 'https://www.example.com/',
      headers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`X${i}`, ''])),
    },
    'headers must hold at most 100',
  ],
  ['an unknown field', { url: 'https://www.example.com/', body: 'x' }, 'body is not a field'],
])('%s is 400, the field named', async (_, body, fault) => {
  const { status, envelope } = await ask(body);
  expect([status, envelope.message]).toEqual([400, expect.stringContaining(fault)]);
});

test('the literal beside the rule’s id: every other method on it is a rule that is not there', async () => {
  const responses = await Promise.all([
    run.api.get(`${property.path}/test`),
    patch(run.api, `${property.path}/test`, { name: 'x' }),
  ]);
  expect(responses.map(({ envelope }) => envelope.message)).toEqual(['Rule not found.', 'Rule not found.']);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { validate } from '../../shared/http/validate.ts';
import type { Sent } from '../support/api-client.ts';
import { queuedPurges } from '../support/queued-purges.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;
let property: string;

beforeAll(async () => {
  run = await joinSharedRun();
  property = `/api/property/${run.propertyId}`;
});
afterAll(() => run.end());

async function expectRefused(path: string, body: object, message: string): Promise<void> {
  run.aws.calls.length = 0;
  const { status, envelope } = await run.api.post(path, body);
  const refusal = `Invalid request: ${message.replaceAll('HOST', run.hostname)}.`;
  expect([status, envelope.message, envelope.data]).toEqual([400, refusal, null]);
  expect(queuedPurges(run)).toBe(0);
}

test.each([
  [
    { type: 'url', urls: ['/', '/news/*', 'https://foreign.example/x'] },
    'urls[1] "/news/*" must not end in *, which is no wildcard here: use type prefix with "/news/", or write %2A for the character itself; urls[2] "https://foreign.example/x" must be an http or https URL on one of the property’s host names (HOST), or a path starting with one slash',
  ],
  [
    { type: 'prefix', prefixes: '/news/*|/*' },
    'prefixes[0] "/news/*" must not end in *, which is no wildcard here: use type prefix with "/news/", or write %2A for the character itself; prefixes[1] "/*" must not end in *, which is no wildcard here: use type all, or write %2A for the character itself',
  ],
  [
    { type: 'hostname', hostnames: ['foreign.example', 'https://www.example.com/'] },
    'hostnames[0] "foreign.example" must be one of the property’s host names (HOST); hostnames[1] "https://www.example.com/" must be a host name, not a URL: send www.example.com',
  ],
])('the purge %j is 400, each value quoted, and nothing is queued', async (body, message) => {
  await expectRefused(`${property}/purge`, body, message);
});

test('a URL that a rule’s test cannot be of is quoted without its query', () =>
  expectRefused(
    `${property}/rules/test`,
    { url: 'https://foreign.example/x?token=secret' },
    'url "https://foreign.example/x?…" must lie on one of the property’s host names (HOST)',
  ));

test('a URL in a property’s host names shows the host name in it, at its creation and later', async () => {
  const hostnames = ['fine.example.com', 'https://www.example.com/', 'nonsense'];
  const message =
    'hostnames[1] must be a host name, not a URL: send www.example.com; hostnames[2] must be a host name like www.example.com, without port or path';
  await expectRefused('/api/property', { name: 'x', hostnames, origin: { url: run.originUrl } }, message);
  const headers = [['X-API-Key', run.apiKey]] as const;
  const { status, envelope } = await run.api.send(property, {
    method: 'PATCH',
    headers,
    body: { hostnames },
  });
  expect([status, envelope.message]).toEqual([400, `Invalid request: ${message}.`]);
});

describe('query parameters', () => {
  test.each([
    ['/api/property?foo=1', 'foo is not a query parameter here'],
    ['/API/Property/?pagesize=5', 'pagesize is not a query parameter here, but pageSize is'],
    [
      '/api/property?pageSize=0&PAGENUMBER=2&x=',
      'pageSize must be 1 or more; PAGENUMBER is not a query parameter here, but pageNumber is; x is not a query parameter here',
    ],
    [
      '/api/property?x-y=1&__proto__=1',
      'a query parameter with an unusual name is not known here; __proto__ is not a query parameter here',
    ],
    ['/api/tickets?accountId=ACCOUNT&foo=1', 'foo is not a query parameter here'],
    [
      '/api/tickets?accountid=ACCOUNT',
      'accountId must be given: the id of the account that the credential belongs to; accountid is not a query parameter here, but accountId is',
    ],
  ])('%s: 400', async (path, message) => {
    const { status, envelope } = await run.api.get(path.replace('ACCOUNT', run.accountId));
    expect([status, envelope.message]).toEqual([400, `Invalid request: ${message}.`]);
  });

  test('a purge with a misspelt one is not queued', () =>
    expectRefused(
      `${property}/purge?Wait=1`,
      { type: 'all' },
      'Wait is not a query parameter here, but wait is',
    ));

  test('every endpoint that takes any refuses others', () => {
    const taking = Object.values(endpoints).flatMap(({ query }) => (query ? [query] : []));
    expect(taking.length).toBeGreaterThan(10);
    for (const query of taking) {
      expect(() => validate(query, { accountId: 'x', foo: '1' }, 'the query')).toThrow(
        'foo is not a query parameter here',
      );
    }
  });

  test('an endpoint that takes none ignores them', async () => {
    for (const path of ['/api/account', property])
      expect([path, (await run.api.get(`${path}?foo=1&foo=2&__proto__=3`)).status]).toEqual([path, 200]);
  });
});

describe('the catalogue of refusals', () => {
  const purge = (sent: Sent = {}, path = 'PROPERTY/purge'): readonly [string, Sent] => [
    path,
    { method: 'POST', body: { type: 'all' }, ...sent },
  ];
  const key = (...values: readonly string[]) => values.map((value) => ['Idempotency-Key', value] as const);

  test.each<readonly [status: number, message: string, request: readonly [string, Sent]]>([
    [400, 'The body is empty. Send a JSON object.', purge({ body: '' })],
    [400, 'The body is not valid UTF-8.', purge({ body: Buffer.from([0x7b, 0xff, 0x7d]) })],
    [400, 'The body is not valid JSON. Send a JSON object.', purge({ body: '{"type":' })],
    [
      400,
      'The body holds a number with more digits or range than a double can hold.',
      purge({ body: '{"type":1e999}' }),
    ],
    [
      400,
      'The body gives a field twice. Give each field once.',
      purge({ body: '{"type":"url","type":"all"}' }),
    ],
    [
      400,
      'The body holds a character that is not valid Unicode text.',
      purge({ body: '{"type":"\\ud800"}' }),
    ],
    [400, 'Each query parameter may be given once.', purge({}, 'PROPERTY/purge?wait=1&wait=2')],
    [
      413,
      'The body is larger than 256 KiB. Split it over several requests.',
      purge({ body: '"'.padEnd(300 * 1024) }),
    ],
    [
      415,
      'Send the body as Content-Type: application/json.',
      purge({ headers: [['Content-Type', 'text/html']] }),
    ],
    [
      400,
      'Idempotency-Key must be 1 to 255 printable characters, sent once.',
      purge({ headers: key('a', 'b') }),
    ],
    [
      400,
      'This endpoint takes no Idempotency-Key, because its responses are never stored.',
      purge({ headers: key('a') }, '/api/account/api-keys'),
    ],
    [
      403,
      'This acts on a user, and an API key has none. Log in and send the access token.',
      purge({}, '/api/Auth/logout'),
    ],
    [
      400,
      'If-Match must be the version that you last read, once, like If-Match: "3".',
      ['PROPERTY', { method: 'DELETE', headers: [['If-Match', '*']] }],
    ],
    [
      409,
      'It has changed meanwhile and is at version 1. Read it again.',
      ['PROPERTY', { method: 'DELETE', headers: [['If-Match', '7']] }],
    ],
    [404, 'There is no such endpoint. Check the path.', ['/api/nothing', {}]],
    [405, 'This endpoint does not take that method. Use GET, OPTIONS.', ['/api/account', { method: 'PUT' }]],
    [
      401,
      'The user name or the password is wrong.',
      ['/api/Auth/Login', { method: 'POST', body: { username: 'nobody', password: 'x' } }],
    ],
  ])('%i %s', async (status, message, [path, { headers = [], ...sent }]) => {
    const body = path.endsWith('api-keys') ? { body: { name: 'x' } } : {};
    const credential = path === '/api/Auth/Login' ? [] : ([['X-API-Key', run.apiKey]] as const);
    const response = await run.api.send(path.replace('PROPERTY', property), {
      ...sent,
      ...body,
      headers: [...credential, ...headers],
    });
    expect([response.status, response.envelope.message]).toEqual([status, message]);
  });
});

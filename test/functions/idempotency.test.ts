import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { absent } from '../../shared/aws/expression.ts';
import { scanAll } from '../../shared/aws/scan.ts';
import { table, updateItem } from '../../shared/aws/table.ts';
import { isIdempotent } from '../../shared/http/idempotency.ts';
import type { IdempotencyRecord } from '../../shared/http/idempotency-table.ts';
import type { Sent } from '../support/api-client.ts';
import { tokenOf } from '../support/identity.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;
let keys = 0;
let hosts = 0;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function freshKey(): string {
  return `key ${++keys}`;
}

function site() {
  return {
    name: 'Site',
    hostnames: [`once-${++hosts}.example.com`],
    origin: { url: 'https://origin.example.com' },
  };
}

function post(key: string, body: NonNullable<Sent['body']>, path = '/api/property', credential = run.apiKey) {
  return run.api.send(path, {
    method: 'POST',
    headers: [
      ['X-API-Key', credential],
      ['Idempotency-Key', key],
    ],
    body,
  });
}

test('the same key, path and body give the first response again, under any spelling of the path', async () => {
  const [key, body] = [freshKey(), site()];
  const first = await post(key, body);
  const again = await post(key, body);
  const spelt = await post(key, body, '/API/Property/');
  expect([first.status, first.headers['idempotent-replay']]).toEqual([201, undefined]);
  for (const replay of [again, spelt]) {
    expect([replay.status, replay.text, replay.headers.etag]).toEqual([201, first.text, first.headers.etag]);
    expect(replay.headers['idempotent-replay']).toBe('true');
    expect(replay.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  }
});

test('another body is 409, another account and another path are other uses', async () => {
  const [key, body] = [freshKey(), site()];
  await post(key, body);
  const other = await post(key, site());
  expect([other.status, other.envelope.message]).toEqual([
    409,
    'This Idempotency-Key was used with another body. Choose a new key.',
  ]);
  expect((await post(key, site(), '/api/property', run.stranger.key)).status).toBe(201);
  const purge = await post(key, { type: 'all' }, `/api/property/${run.propertyId}/purge`);
  expect([purge.status, purge.headers['idempotent-replay']]).toEqual([200, undefined]);
});

/** The same text, but for how its values are written. */
function respelt({ name, hostnames, origin }: ReturnType<typeof site>, seconds: string): string {
  return `{"origin":{"hostHeader":"origin.example.com","url":${JSON.stringify(origin.url)}},
    "cache":{"queryString":{"names":["b","a"],"mode":"allow"},"ttlSeconds":${seconds}},
    "hostnames":${JSON.stringify(hostnames)},"\\u006eame":${JSON.stringify(name)}}`;
}

test('a body that is equal as JSON is the same body, whatever the order of its fields', async () => {
  const [key, plain] = [freshKey(), site()];
  const body = {
    ...plain,
    origin: { ...plain.origin, hostHeader: 'origin.example.com' },
    cache: { ttlSeconds: 60, queryString: { mode: 'allow', names: ['b', 'a'] } },
  };
  const first = await post(key, body);
  expect(first.status).toBe(201);
  for (const seconds of ['60', '60.0', '6e1']) {
    const again = await post(key, respelt(plain, seconds));
    expect([again.status, again.text]).toEqual([201, first.text]);
  }
  const names = { mode: 'allow', names: ['a', 'b'] };
  const turned = await post(key, { ...body, cache: { ...body.cache, queryString: names } });
  expect([turned.status, turned.envelope.message]).toEqual([409, expect.stringContaining('another body')]);
});

test('the query belongs to the path: what another account’s query asks for is not given again', async () => {
  const [key, body] = [freshKey(), { subject: 'Slow', body: 'Why?' }];
  const first = await post(key, body, `/api/tickets?accountId=${run.accountId}`);
  const foreign = await post(key, body, '/api/tickets?accountId=00000000000000000000000000');
  const again = await post(key, body, `/API/Tickets/?accountId=${run.accountId}`);
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect([foreign.status, foreign.envelope.message]).toEqual([404, 'Account not found.']);
  const path = `/api/tickets/${first.data.id}/messages`;
  const message = await post(key, { body: 'Hm.' }, `${path}?accountId=${run.accountId}`);
  const others = await post(key, { body: 'Hm.' }, `${path}?accountId=${'x'.repeat(26)}`);
  expect([message.status, others.status, others.envelope.message]).toEqual([201, 404, 'Account not found.']);
});

test('of 20 at once with one key one does the work; the others replay it or are told to come again', async () => {
  const [key, body] = [freshKey(), site()];
  const before = (await run.api.get('/api/property')).envelope.totalRecords;
  const responses = await Promise.all(Array.from({ length: 20 }, () => post(key, body)));
  for (const { status, headers } of responses) {
    expect([201, 409]).toContain(status);
    if (status === 409) expect(headers['retry-after']).toBe('5');
  }
  expect(responses.filter((each) => each.status === 201 && !each.headers['idempotent-replay'])).toHaveLength(
    1,
  );
  expect((await post(key, body)).headers['idempotent-replay']).toBe('true');
  expect((await run.api.get('/api/property')).envelope.totalRecords).toBe(before + 1);
});

test('a failure is not kept: the key can be used again', async () => {
  const key = freshKey();
  const taken = site();
  await run.api.post('/api/property', taken);
  expect((await post(key, taken)).status).toBe(409);
  expect((await post(key, { ...taken, hostnames: [] })).status).toBe(400);
  expect((await post(key, site())).status).toBe(201);
});

test('after a 503 the retry finishes the work', async () => {
  const key = freshKey();
  const path = `/api/property/${run.propertyId}/purge`;
  run.aws.fault = (operation) => (operation === 'sqs:SendMessage' ? 'refuse' : undefined);
  const refused = await post(key, { type: 'all' }, path);
  run.aws.fault = () => undefined;
  const retried = await post(key, { type: 'all' }, path);
  const again = await post(key, { type: 'all' }, path);
  expect([refused.status, retried.status, again.status]).toEqual([503, 200, 200]);
  expect(again.data.purgeId).toBe(retried.data.purgeId);
});

test('when the process dies with its work done the retry finds that work, once its lock has ended', async () => {
  const [key, body] = [freshKey(), site()];
  let made: string | undefined;
  run.aws.fault = (operation, call) => {
    const item = JSON.stringify(call);
    if (operation === 'dynamodb:TransactWriteItems' && item.includes(body.hostnames[0] ?? '')) made = item;
    const keeps = operation === 'dynamodb:UpdateItem' && item.includes('idempotency');
    return keeps ? { type: 'InternalServerError', status: 500 } : undefined;
  };
  const died = await post(key, body);
  run.aws.fault = () => undefined;
  expect([died.status, made !== undefined]).toEqual([503, true]);
  const early = await post(key, body);
  expect([early.status, early.headers['retry-after'], early.envelope.message]).toEqual([
    409,
    '5',
    'A request with this Idempotency-Key is still running. Retry it in a few seconds.',
  ]);
  const records = table<'idempotency', IdempotencyRecord>('idempotency');
  const [open] = await scanAll(records, absent('response'));
  await updateItem(records, { key: open?.key ?? '' }, { set: { lockedUntil: Date.now() - 1 } });
  const finished = await post(key, body);
  expect([finished.status, made?.includes(finished.data.id)]).toEqual([201, true]);
});

test.each(['', 'x'.repeat(256), 'ä'])('the key %j is 400', async (key) => {
  const bytes = Buffer.from(key).toString('latin1');
  expect((await post(bytes, site())).status).toBe(400);
});

test('where the response holds a secret a key is 400, and no secret is ever stored', async () => {
  const token = await tokenOf(run.api, run.username, run.password);
  const refusing = Object.values(endpoints).filter(
    (endpoint) => endpoint.method === 'POST' && !isIdempotent(endpoint) && !endpoint.rawBody,
  );
  expect(refusing.length).toBeGreaterThanOrEqual(9);
  for (const { path } of refusing) {
    const body = path.endsWith('Login')
      ? { username: run.username, password: run.password }
      : path.endsWith('api-keys')
        ? { name: 'x' }
        : { twoFactorToken: 'x', code: '000000' };
    const { password, ...rest } = { password: run.password, ...body };
    const sent = path.endsWith('disable')
      ? { password, code: '000000' }
      : path.endsWith('password')
        ? { currentPassword: 'x', newPassword: 'a long new password' }
        : path.endsWith('verify') || path.endsWith('Login')
          ? body
          : path.endsWith('api-keys')
            ? rest
            : { code: '000000' };
    const response = await run.api.send(path, {
      method: 'POST',
      headers: [
        ...(path.endsWith('Login') || path.endsWith('verify')
          ? []
          : [['Authorization', `Bearer ${token}`] as const]),
        ['Idempotency-Key', 'k'],
      ],
      body: sent,
    });
    expect([path, response.status, response.envelope.message]).toEqual([
      path,
      400,
      expect.stringContaining('Idempotency-Key'),
    ]);
  }
});

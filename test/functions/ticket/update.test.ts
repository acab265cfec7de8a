import { afterAll, beforeAll, expect, test } from 'vitest';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { makeTicketAccount, replyAsSupport, type TicketAccount, ticketInput } from '../../support/tickets.ts';

let run: TestRun;
let account: TicketAccount;

beforeAll(async () => {
  run = await joinSharedRun();
  account = await makeTicketAccount(run);
});
afterAll(() => run.end());

async function create() {
  return (await account.post(ticketInput())).data;
}

function patch(id: string, body: object, ifMatch?: string) {
  return account.call('PATCH', `/${id}`, body, ifMatch === undefined ? [] : [['If-Match', ifMatch]]);
}

test('status and priority change, the version rises, and the rest stays', async () => {
  const before = await create();
  const closed = await patch(before.id, { status: 'closed' });
  expect([closed.status, closed.headers.etag]).toEqual([200, '"2"']);
  const { updatedAt } = closed.data;
  expect(closed.data).toEqual({ ...before, status: 'closed', updatedAt, version: 2 });
  expect(updatedAt > before.updatedAt).toBe(true);
  const both = await patch(before.id, { status: 'open', priority: 'high' });
  expect(both.data).toMatchObject({ status: 'open', priority: 'high', version: 3 });
  expect((await account.get(`/${before.id}`)).text).toBe(both.text);
});

test('the priority of a pending ticket changes without opening it', async () => {
  const { id } = await create();
  await replyAsSupport(account.accountId, id);
  expect((await patch(id, { priority: 'low' })).data).toMatchObject({ status: 'pending', version: 3 });
});

test.each([
  [{ status: 'pending' }, 'status must be one of open, closed'],
  [{ status: null }, 'status must be one of'],
  [{ status: 1 }, 'status must be one of'],
  [{ priority: null }, 'priority must be one of'],
  [{ priority: 'panic' }, 'priority must be one of low, normal, high, urgent'],
  [{ subject: 'x' }, 'subject is not a field'],
  [{ version: 1 }, 'version is not a field'],
  [{ messageCount: 1 }, 'messageCount is not a field'],
  [[], 'the body must be a JSON object'],
])('the patch %j is 400, the field named, and nothing changed', async (body, fault) => {
  const { id } = await create();
  const before = (await account.get(`/${id}`)).text;
  const response = await patch(id, body);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect((await account.get(`/${id}`)).text).toBe(before);
});

test.each([{}, { status: 'open' }, { priority: 'normal' }, { status: 'open', priority: 'normal' }])(
  'the patch %j of a new ticket is 200 with the ticket as it was, and nothing is written',
  async (body) => {
    const { id } = await create();
    const { text } = await account.get(`/${id}`);
    run.aws.calls.length = 0;
    const responses = [await patch(id, body), await patch(id, body, '"1"')];
    expect(responses.map(({ status, headers, text }) => [status, headers.etag, text])).toEqual(
      responses.map(() => [200, '"1"', text]),
    );
    expect((await patch(id, body, '2')).status).toBe(409);
    expect((await account.get(`/${id}`)).text).toBe(text);
    expect(run.aws.calls.map(({ operation }) => operation)).not.toContain('dynamodb:TransactWriteItems');
  },
);

test('If-Match: the present version in either form, a stale one, and nonsense', async () => {
  const { id } = await create();
  const statuses: number[] = [];
  for (const tag of ['1', '"2"', '"2"', '1', 'x', '*', '3"', '"3'])
    statuses.push((await patch(id, { priority: statuses.length % 2 ? 'high' : 'low' }, tag)).status);
  expect(statuses).toEqual([200, 200, 409, 409, 400, 400, 400, 400]);
  expect((await account.get(`/${id}`)).data.version).toBe(3);
});

test('a message makes an older version stale', async () => {
  const { id } = await create();
  await replyAsSupport(account.accountId, id);
  const response = await patch(id, { status: 'closed' }, '1');
  expect([response.status, response.envelope.message]).toEqual([409, expect.stringContaining('version 2')]);
});

test('of two concurrent patches with one version one is 409', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await create();
    const responses = await Promise.all(['low', 'high'].map((priority) => patch(id, { priority }, '1')));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = responses.find(({ status }) => status === 200);
    expect((await account.get(`/${id}`)).data).toEqual(won?.data);
  }
});

test('20 concurrent patches without If-Match all land, conflicts of transactions included', async () => {
  const { id } = await create();
  conflictEveryThird(run);
  const changes = [{ status: 'closed' }, { priority: 'urgent' }, { status: 'open' }, { priority: 'low' }];
  const patches = Array.from({ length: 5 }, () => changes).flat();
  const responses = await Promise.all(patches.map((change) => patch(id, change)));
  run.aws.fault = () => undefined;
  expect(responses.map(({ status, data }) => [status, data])).toEqual(
    patches.map((change) => [200, expect.objectContaining(change)]),
  );
  const last = await account.get(`/${id}`);
  const byVersion = new Map([...responses, last].map(({ data, text }) => [data.version, text]));
  for (const { data, text } of responses) expect(text).toBe(byVersion.get(data.version));
  const written = [...byVersion.keys()].filter((version) => version > 1).sort((a, b) => a - b);
  expect(written).toEqual(Array.from({ length: last.data.version - 1 }, (_, index) => index + 2));
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sequenceRange } from '../../../shared/aws/sequence.ts';
import { putItem, updateItem } from '../../../shared/aws/table.ts';
import { newId } from '../../../shared/ground/id.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import { support } from '../../../shared/ticket/ticket-message.ts';
import { addMessage, ticketMessages } from '../../../shared/ticket/ticket-message-table.ts';
import { tickets } from '../../../shared/ticket/ticket-table.ts';
import type { ApiResponse } from '../../support/api-client.ts';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { makeTicketAccount, replyAsSupport, type TicketAccount, ticketInput } from '../../support/tickets.ts';
import { volume } from '../../support/volume.ts';

const replies = volume(30, 60);

let run: TestRun;
let account: TicketAccount;

beforeAll(async () => {
  run = await joinSharedRun();
  account = await makeTicketAccount(run);
});
afterAll(() => run.end());

async function create(): Promise<string> {
  return (await account.post(ticketInput({ body: 'm1' }))).data.id;
}

function say(id: string, body: string) {
  return account.post({ body }, `/${id}/messages`);
}

async function read(id: string) {
  return (await account.get(`/${id}`)).data;
}

function bodies(items: readonly { readonly body: string }[]): string[] {
  return items.map(({ body }) => body);
}

/** What a function wrote: all at once, or it could die in between. */
function writesSince(before: number, name: string): string[] {
  return run.aws.calls
    .slice(before)
    .filter((call) => call.functionName === `CdnManagement-${name}` && call.writeUnits > 0)
    .map(({ operation }) => operation);
}

test('a message is returned, listed after the first, and counted in the ticket', async () => {
  const id = await create();
  const before = run.aws.calls.length;
  const response = await say(id, 'm2\n\tindented');
  const writes = writesSince(before, 'ticket-message-create');
  expect([response.status, response.data]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-z]{26}$/),
      author: 'customer',
      authorName: account.key.slice(0, 8),
      body: 'm2\n\tindented',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  const { data, envelope } = await account.get(`/${id}/messages`);
  expect(bodies(data.items)).toEqual(['m1', 'm2\n\tindented']);
  expect([data.items[1], envelope.totalRecords]).toEqual([response.data, 2]);
  expect(await read(id)).toMatchObject({ messageCount: 2, version: 2, updatedAt: response.data.createdAt });
  expect(writes).toEqual(['dynamodb:TransactWriteItems']);
});

test('support’s reply makes a ticket pending, the customer’s message opens it, a closed one too', async () => {
  const id = await create();
  expect(await replyAsSupport(account.accountId, id)).toMatchObject({
    author: 'support',
    authorName: 'Support',
  });
  const statuses = [(await read(id)).status];
  for (const step of ['say', 'close', 'say', 'close', 'reply']) {
    if (step === 'say') await say(id, 'Again');
    else if (step === 'close') await account.call('PATCH', `/${id}`, { status: 'closed' });
    else await replyAsSupport(account.accountId, id);
    statuses.push((await read(id)).status);
  }
  expect(statuses).toEqual(['pending', 'open', 'closed', 'open', 'closed', 'pending']);
});

test.each([
  [{}, 'body must be a string'],
  [{ body: '' }, 'body must not be empty'],
  [{ body: 'x'.repeat(10_001) }, 'body must be at most 10000'],
  [{ body: 'a\u0000b' }, 'body must not hold control characters other than newline and tab'],
  [{ body: null }, 'body must be a string'],
  [{ body: 'x', author: 'support' }, 'author is not a field'],
])('the message %j is 400, the field named, and nothing stored', async (body, fault) => {
  const id = await create();
  const response = await account.post(body, `/${id}/messages`);
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect(await read(id)).toMatchObject({ messageCount: 1, version: 1 });
});

test('20 concurrent messages all land and the count is exact, conflicts of transactions included', async () => {
  const id = await create();
  conflictEveryThird(run);
  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => say(id, `c${index}`)));
  run.aws.fault = () => undefined;
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(await read(id)).toMatchObject({ messageCount: 21, version: 21 });
  const { data, envelope } = await account.get(`/${id}/messages?pageSize=100`);
  expect(envelope.totalRecords).toBe(21);
  expect(data.items.slice(1)).toHaveLength(20);
  for (const { data: message } of responses) expect(data.items).toContainEqual(message);
  const times = data.items.map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual([...times].sort());
});

test(`the same where support writes ${replies} at once`, async () => {
  const id = await create();
  await Promise.all(
    Array.from({ length: replies }, (_, index) => replyAsSupport(account.accountId, id, `s${index}`)),
  );
  expect(await read(id)).toMatchObject({ messageCount: replies + 1, version: replies + 1 });
  const { data } = await account.get(`/${id}/messages?pageSize=100`);
  expect(new Set(bodies(data.items)).size).toBe(replies + 1);
});

test('where conflicts do not end it is 503, and neither message nor count is there', async () => {
  const id = await create();
  run.aws.fault = (operation) => (operation === 'dynamodb:TransactWriteItems' ? 'conflict' : undefined);
  const refused = await say(id, 'Lost');
  run.aws.fault = () => undefined;
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  expect(await read(id)).toMatchObject({ messageCount: 1, version: 1 });
  expect((await account.get(`/${id}/messages`)).envelope.totalRecords).toBe(1);
});

test('a second try of the same work finds the message of the first, other messages in between', async () => {
  const id = await create();
  const messageId = newId();
  const first = await addMessage(account.accountId, id, support, 'Once', messageId);
  await say(id, 'Between');
  expect(await addMessage(account.accountId, id, support, 'Once', messageId)).toEqual(first);
  expect(await read(id)).toMatchObject({ messageCount: 3, status: 'open' });
});

test('the list is oldest first, in pages that neither repeat nor drop, with the exact total', async () => {
  const id = await create();
  for (let number = 2; number <= 12; number += 1) await say(id, `m${number}`);
  const pages: ApiResponse[] = [];
  for (const page of [1, 2, 3, 4])
    pages.push(await account.get(`/${id}/messages?pageNumber=${page}&pageSize=5`));
  expect(pages.map(({ envelope }) => [envelope.totalRecords, envelope.totalPages])).toEqual(
    pages.map(() => [12, 3]),
  );
  expect(pages.flatMap(({ data }) => bodies(data.items))).toEqual(
    Array.from({ length: 12 }, (_, index) => `m${index + 1}`),
  );
});

/** Leaves the ticket as so many messages like its first would have left it. */
async function repeatFirst(id: string, count: number): Promise<void> {
  const [first] = await sequenceRange(ticketMessages, id, 1, 1);
  const [ticket] = (await sequenceRange(tickets, account.accountId, 1, 1_000)).filter(
    (each) => each.id === id,
  );
  if (!first || !ticket) throw new Error(`There is no ticket ${id}`);
  const numbers = Array.from({ length: count - 1 }, (_, index) => index + 2);
  await inParallel(numbers, 8, (number) =>
    putItem(ticketMessages, { ...first, id: newId(), number, position: String(number).padStart(12, '0') }),
  );
  const { accountId, position } = ticket;
  await updateItem(tickets, { accountId, position }, { set: { messageCount: count } });
}

test('100 messages of the largest kind are one page under Lambda’s 6 MB, whatever they are made of', async () => {
  for (const character of ['🐢', '"', '\n']) {
    const body = character.repeat(10_000);
    const id = (await account.post(ticketInput({ body }))).data.id;
    await repeatFirst(id, 100);
    const before = run.aws.calls.length;
    const { status, data } = await account.get(`/${id}/messages?pageSize=100`);
    expect(status).toBe(200);
    expect(data.items).toHaveLength(100);
    expect(new Set(bodies(data.items))).toEqual(new Set([body]));
    const queries = run.aws.calls.slice(before).filter(({ operation }) => operation === 'dynamodb:Query');
    if (character === '🐢') expect(queries.length).toBeGreaterThanOrEqual(4);
    const event = {
      ...JSON.parse(readFileSync('test/events/ticket-message-list.json', 'utf8')),
      pathParameters: { ticketId: id },
      multiValueQueryStringParameters: { accountId: [account.accountId], pageSize: ['100'] },
    };
    event.requestContext.authorizer.accountId = account.accountId;
    const response = await run.functions.invoke('CdnManagement-ticket-message-list', event);
    expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThan(5_000_000);
  }
});

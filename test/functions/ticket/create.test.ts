import { afterAll, beforeAll, expect, test } from 'vitest';
import { scanAll } from '../../../shared/aws/scan.ts';
import { newId } from '../../../shared/ground/id.ts';
import { createTicket } from '../../../shared/ticket/create-ticket.ts';
import { CreateTicket } from '../../../shared/ticket/ticket.ts';
import { tickets } from '../../../shared/ticket/ticket-table.ts';
import { conflictEveryThird } from '../../support/conflict-every-third.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { makeTicketAccount, ticketInput, ticketPath } from '../../support/tickets.ts';
import { volume } from '../../support/volume.ts';

const count = volume(30, 100);

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function oneTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function numbers(tickets: readonly { readonly number: number }[]): number[] {
  return tickets.map(({ number }) => number).sort((a, b) => a - b);
}

test('a ticket is made with the defaults and its first message, and read back the same', async () => {
  const account = await makeTicketAccount(run);
  const created = await account.post(ticketInput());
  expect([created.status, created.headers.etag]).toEqual([201, '"1"']);
  const { id, createdAt } = created.data;
  expect(created.data).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{26}$/),
    number: 1,
    subject: 'Slow',
    category: 'other',
    priority: 'normal',
    status: 'open',
    messageCount: 1,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: createdAt,
    version: 1,
  });
  const read = await account.get(`/${id}`);
  expect([read.status, read.text, read.headers.etag]).toEqual([200, created.text, '"1"']);
  expect((await account.get(`/${id}/messages`)).data.items).toEqual([
    {
      id: expect.any(String),
      author: 'customer',
      authorName: account.key.slice(0, 8),
      body: 'Why?',
      createdAt,
    },
  ]);
  const { accountId } = account;
  expect((await scanAll(tickets)).filter((item) => item.id === id)).toEqual([
    { accountId, position: '000000000001', ...created.data },
  ]);
});

test('every field is taken, the account’s own property included', async () => {
  const body = 'First line\n\tsecond “line” 🐢';
  const fields = { subject: 'S'.repeat(200), category: 'purge', priority: 'urgent' };
  const input = { ...fields, propertyId: run.propertyId };
  const response = await run.api.post(ticketPath(run.accountId), { ...input, body });
  expect([response.status, response.data]).toEqual([201, expect.objectContaining(input)]);
  const { items } = (await run.api.get(ticketPath(run.accountId, `/${response.data.id}/messages`))).data;
  expect(items[0].body).toBe(body);
});

test.each([
  ['no subject', { subject: undefined }, 'subject must be a string'],
  ['an empty subject', { subject: '' }, 'subject must not be empty'],
  ['a subject of 201 characters', { subject: 'x'.repeat(201) }, 'subject must be at most 200'],
  ['a subject of two lines', { subject: 'a\nb' }, 'subject must not hold control characters'],
  ['no body', { body: undefined }, 'body must be a string'],
  ['an empty body', { body: '' }, 'body must not be empty'],
  ['a body of 10,001 characters', { body: 'x'.repeat(10_001) }, 'body must be at most 10000'],
  ['a body with a carriage return', { body: 'a\r\nb' }, 'body must not hold control characters other'],
  ['a body with a C1 control', { body: 'a\u0085b' }, 'body must not hold control characters other'],
  ['a body that is no text', { body: ['x'] }, 'body must be a string'],
  ['an unknown category', { category: 'sales' }, 'category must be one of technical, billing, purge, other'],
  ['a null category', { category: null }, 'category must be one of'],
  ['an unknown priority', { priority: 'panic' }, 'priority must be one of low, normal, high, urgent'],
  ['a property id that is no text', { propertyId: 7 }, 'propertyId must be'],
  ['a null property id', { propertyId: null }, 'propertyId must be'],
  ['an unknown field', { status: 'open' }, 'status is not a field'],
])('%s is 400, the field named, and nothing stored', async (_, changes, fault) => {
  const account = await makeTicketAccount(run);
  const response = await account.post(ticketInput(changes));
  expect([response.status, response.envelope.message]).toEqual([400, expect.stringContaining(fault)]);
  expect((await account.get()).envelope.totalRecords).toBe(0);
});

test('another account’s property is 400 as none at all is, and nothing is stored', async () => {
  const account = await makeTicketAccount(run);
  const responses = await Promise.all(
    [run.propertyId, '00000000000000000000000000', 'x', ''].map((propertyId) =>
      account.post(ticketInput({ propertyId })),
    ),
  );
  for (const { status, text, envelope } of responses) {
    expect([status, envelope.message]).toEqual([400, expect.stringContaining('propertyId')]);
    expect(text).toBe(responses[0]?.text);
  }
  expect((await account.get()).envelope.totalRecords).toBe(0);
});

test('a body is measured in characters, not in their halves', async () => {
  const account = await makeTicketAccount(run);
  const longest = await account.post(ticketInput({ body: '🐢'.repeat(10_000) }));
  const longer = await account.post(ticketInput({ body: '🐢'.repeat(10_001) }));
  expect([longest.status, longer.status]).toEqual([201, 400]);
});

test(`${count} concurrent tickets have the numbers 1 to ${count}, and a second account its own`, async () => {
  const [account, other] = [await makeTicketAccount(run), await makeTicketAccount(run)];
  const responses = await Promise.all(
    oneTo(count).map((index) => account.post(ticketInput({ subject: `T${index}` }))),
  );
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(numbers(responses.map(({ data }) => data))).toEqual(oneTo(count));
  const { data, envelope } = await account.get('?pageSize=100');
  expect(envelope.totalRecords).toBe(count);
  expect(data.items.map(({ number }: { number: number }) => number)).toEqual(oneTo(count).reverse());
  for (const { data: ticket } of responses) expect(data.items).toContainEqual(ticket);
  expect((await other.post(ticketInput())).data.number).toBe(1);
});

test(`the same where all ${count} write at once, and where every third transaction meets a conflict`, async () => {
  const { accountId } = await makeTicketAccount(run);
  const input = CreateTicket.parse(ticketInput());
  const author = { author: 'customer', authorName: 'x' } as const;
  const made = await Promise.all(oneTo(count).map(() => createTicket(accountId, input, author, newId())));
  expect(numbers(made)).toEqual(oneTo(count));
  const account = await makeTicketAccount(run);
  const conflicts = conflictEveryThird(run);
  const responses = await Promise.all(oneTo(30).map(() => account.post(ticketInput())));
  run.aws.fault = () => undefined;
  expect(conflicts()).toBeGreaterThan(5);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  expect(numbers(responses.map(({ data }) => data))).toEqual(oneTo(30));
});

test('where conflicts do not end it is 503, nothing is stored, and no number is lost', async () => {
  const account = await makeTicketAccount(run);
  run.aws.fault = (operation) => (operation === 'dynamodb:TransactWriteItems' ? 'conflict' : undefined);
  const refused = await account.post(ticketInput());
  run.aws.fault = () => undefined;
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  expect((await scanAll(tickets)).filter(({ accountId }) => accountId === account.accountId)).toEqual([]);
  expect((await account.post(ticketInput())).data.number).toBe(1);
});

test('a second try of the same work finds the ticket of the first, other tickets in between', async () => {
  const account = await makeTicketAccount(run);
  const input = CreateTicket.parse(ticketInput());
  const author = { author: 'customer', authorName: 'x' } as const;
  const id = newId();
  const first = await createTicket(account.accountId, input, author, id);
  await account.post(ticketInput());
  expect(await createTicket(account.accountId, input, author, id)).toEqual(first);
  expect((await account.get()).envelope.totalRecords).toBe(2);
});

test('a retry with the same Idempotency-Key makes no second ticket', async () => {
  const account = await makeTicketAccount(run);
  const post = () => account.call('POST', '', ticketInput(), [['Idempotency-Key', 'k']]);
  const [first, again] = [await post(), await post()];
  expect([again.status, again.text, again.headers['idempotent-replay']]).toEqual([201, first.text, 'true']);
  expect((await account.get()).envelope.totalRecords).toBe(1);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse } from '../../support/api-client.ts';
import { putAll } from '../../support/put-all.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { makeTicketAccount, replyAsSupport, type TicketAccount, ticketInput } from '../../support/tickets.ts';
import { volume } from '../../support/volume.ts';

/** Beyond what is counted of one status, in full. */
const manyTickets = volume(1_200, 10_200);
const mostCounted = 10_000;

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function subjects(items: readonly { readonly subject: string }[]): string[] {
  return items.map(({ subject }) => subject);
}

/** As many tickets as no test could make one by one, every hundredth of them closed. */
async function fill(accountId: string, count: number): Promise<void> {
  const at = new Date().toISOString();
  const items = Array.from({ length: count }, (_, index) => ({
    accountId,
    position: String(index + 1).padStart(12, '0'),
    id: String(index + 1).padStart(26, '0'),
    number: index + 1,
    subject: '🐢'.repeat(100),
    category: 'technical',
    priority: 'normal',
    status: (index + 1) % 100 === 0 ? 'closed' : 'open',
    propertyId: '0'.repeat(26),
    messageCount: 1,
    createdAt: at,
    updatedAt: at,
    version: 1,
  }));
  await putAll('tickets', items);
}

async function readUnitsOf(account: TicketAccount, query: string): Promise<number> {
  const before = run.aws.calls.length;
  await account.get(query);
  return run.aws.calls
    .slice(before)
    .filter(({ functionName }) => functionName === 'CdnManagement-ticket-list')
    .reduce((sum, { readUnits }) => sum + readUnits, 0);
}

test('the list is newest first, in pages that neither repeat nor drop, with the exact total', async () => {
  const account = await makeTicketAccount(run);
  const made = Array.from({ length: 12 }, (_, index) => `T${index}`);
  for (const subject of made) await account.post(ticketInput({ subject }));
  const pages: ApiResponse[] = [];
  for (const page of [1, 2, 3, 4]) pages.push(await account.get(`?pageNumber=${page}&pageSize=5`));
  expect(
    pages.map(({ envelope }) => [envelope.pageNumber, envelope.totalRecords, envelope.totalPages]),
  ).toEqual([1, 2, 3, 4].map((page) => [page, 12, 3]));
  expect(pages.map(({ data }) => data.items.length)).toEqual([5, 5, 2, 0]);
  expect(pages.flatMap(({ data }) => subjects(data.items))).toEqual(made.toReversed());
});

test('a filter shows one status only, with its own total', async () => {
  const account = await makeTicketAccount(run);
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1)
    ids.push((await account.post(ticketInput({ subject: `T${index}` }))).data.id);
  await replyAsSupport(account.accountId, ids[2] ?? '');
  for (const index of [1, 3, 5]) await account.call('PATCH', `/${ids[index]}`, { status: 'closed' });
  const listed: ApiResponse[] = [];
  for (const status of ['open', 'pending', 'closed']) listed.push(await account.get(`?status=${status}`));
  expect(listed.map(({ data }) => subjects(data.items))).toEqual([
    ['T6', 'T4', 'T0'],
    ['T2'],
    ['T5', 'T3', 'T1'],
  ]);
  expect(listed.map(({ envelope }) => envelope.totalRecords)).toEqual([3, 1, 3]);
  const second = await account.get('?status=closed&pageNumber=2&pageSize=2');
  expect([subjects(second.data.items), second.envelope.totalRecords]).toEqual([['T1'], 3]);
  const past = await account.get('?status=closed&pageNumber=3&pageSize=2');
  expect([past.data.items, past.envelope.totalRecords]).toEqual([[], 3]);
});

test.each(['status=gone', 'status=', 'pageNumber=0', 'pageSize=101', 'pageSize=2&pageSize=3'])(
  'the query %s is 400',
  async (query) => {
    const response = await (await makeTicketAccount(run)).get(`?${query}`);
    expect([response.status, response.envelope.data]).toEqual([400, null]);
  },
);

test(`of ${manyTickets} tickets every page costs what it costs of few; the total is exact, of one status up to 10,000`, async () => {
  const [few, many] = [await makeTicketAccount(run), await makeTicketAccount(run)];
  await fill(few.accountId, 20);
  await fill(many.accountId, manyTickets);
  const units = await readUnitsOf(few, '?pageSize=20');
  expect(units).toBeLessThan(15);
  expect(await readUnitsOf(many, '?pageSize=20')).toBe(units);
  expect(await readUnitsOf(many, '?pageSize=20&pageNumber=50')).toBe(units);
  const { envelope, data } = await many.get(`?pageSize=100&pageNumber=${manyTickets / 100}`);
  expect(envelope.totalRecords).toBe(manyTickets);
  expect(data.items.map(({ number }: { number: number }) => number)).toEqual(
    Array.from({ length: 100 }, (_, index) => 100 - index),
  );
  const closed = manyTickets / 100;
  const counted = Math.min(manyTickets - closed, mostCounted);
  const last = Math.ceil(counted / 100);
  const open = await many.get(`?status=open&pageSize=100&pageNumber=${last}`);
  expect([open.envelope.totalRecords, open.data.items.length]).toEqual([counted, counted - (last - 1) * 100]);
  expect((await many.get(`?status=open&pageSize=100&pageNumber=${last + 1}`)).data.items).toEqual([]);
  expect((await many.get('?status=closed')).envelope.totalRecords).toBe(closed);
});

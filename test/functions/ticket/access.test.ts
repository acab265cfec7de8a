import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenOf, withToken } from '../../support/identity.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { makeTicketAccount, type TicketAccount, ticketInput, ticketPath } from '../../support/tickets.ts';

let run: TestRun;
let account: TicketAccount;
let ticketId: string;

beforeAll(async () => {
  run = await joinSharedRun();
  account = await makeTicketAccount(run);
  ticketId = (await account.post(ticketInput())).data.id;
});
afterAll(() => run.end());

const missing = '00000000000000000000000000';

const endpoints = [
  ['GET', '', undefined],
  ['POST', '', ticketInput()],
  ['GET', '/ID', undefined],
  ['PATCH', '/ID', { status: 'closed' }],
  ['GET', '/ID/messages', undefined],
  ['POST', '/ID/messages', { body: 'Hello' }],
] as const;

function send(key: string, method: string, path: string, body: object | undefined) {
  return run.api.send(path, { method, headers: [['X-API-Key', key]], ...(body && { body }) });
}

function ofTicket(path: string, id = ticketId): string {
  return path.replace('ID', id);
}

test.each(endpoints)('%s /api/tickets%s: 401 without a credential', async (method, path, body) => {
  const response = await run.api.send(ticketPath(account.accountId, ofTicket(path)), {
    method,
    ...(body && { body }),
  });
  expect([response.status, response.envelope.succeeded]).toEqual([401, false]);
});

test.each(endpoints)(
  '%s /api/tickets%s: 400 naming a missing or empty accountId',
  async (method, path, body) => {
    for (const query of ['', '?accountId=', '?accountid=x']) {
      const response = await send(account.key, method, `/api/tickets${ofTicket(path)}${query}`, body);
      expect([response.status, response.envelope.message]).toEqual([
        400,
        expect.stringContaining('accountId must be'),
      ]);
    }
    const twice = await send(
      account.key,
      method,
      `${ticketPath(account.accountId, ofTicket(path))}&accountId=x`,
      body,
    );
    expect([twice.status, twice.envelope.message]).toEqual([400, expect.stringContaining('once')]);
  },
);

test.each(endpoints)('%s /api/tickets%s: another account is 404 as none is', async (method, path, body) => {
  const before = (await account.get(`/${ticketId}`)).text;
  const responses = await Promise.all(
    [account.accountId, missing, 'x', '%0A', 'x'.repeat(300), run.accountId.toUpperCase()].map((accountId) =>
      send(run.apiKey, method, ticketPath(accountId, ofTicket(path)), body),
    ),
  );
  for (const { status, text, envelope } of responses) {
    expect([status, envelope.message]).toEqual([404, 'Account not found.']);
    expect(text).toBe(responses[0]?.text);
  }
  expect((await account.get(`/${ticketId}`)).text).toBe(before);
  expect((await account.get()).envelope.totalRecords).toBe(1);
});

test.each(endpoints.filter(([, path]) => path !== ''))(
  '%s /api/tickets%s: another account’s ticket is 404 as none is',
  async (method, path, body) => {
    const before = (await account.get(`/${ticketId}`)).text;
    const ids = [
      ticketId,
      missing,
      'x',
      ticketId.toUpperCase(),
      `%23${ticketId}`,
      '000000000001',
      'x'.repeat(3000),
    ];
    const responses = await Promise.all(
      ids.map((id) => send(run.apiKey, method, ticketPath(run.accountId, ofTicket(path, id)), body)),
    );
    for (const { status, text, envelope } of responses) {
      expect([status, envelope.message]).toEqual([404, 'Ticket not found.']);
      expect(text).toBe(responses[0]?.text);
    }
    expect((await account.get(`/${ticketId}`)).text).toBe(before);
  },
);

test('an id is case-sensitive for its owner too, a path is not', async () => {
  expect((await account.get(`/${ticketId.toUpperCase()}`)).status).toBe(404);
  const odd = ticketPath(account.accountId, `/${ticketId}`).replace('/api/tickets', '/API/Tickets');
  expect((await send(account.key, 'GET', odd, undefined)).status).toBe(200);
});

test('a user’s token works as a key does, and its messages carry the user’s name', async () => {
  const user = withToken(run.api, await tokenOf(run.api, run.username, run.password));
  const { status, data } = await user.post(ticketPath(run.accountId), ticketInput());
  expect(status).toBe(201);
  const { items } = (await user.get(ticketPath(run.accountId, `/${data.id}/messages`))).data;
  expect(items).toMatchObject([{ author: 'customer', authorName: run.username }]);
});

import { expect, test } from 'vitest';
import { ApiClient } from '../../support/api-client.ts';
import { json, operator, operatorAtTerminal, run } from '../../support/operator.ts';

async function open(api: ApiClient, accountId: string, subject: string) {
  return (await api.post(`/api/tickets?accountId=${accountId}`, { subject, body: 'Help.' })).data;
}

test('the tickets of all accounts are listed, newest first, and one is replied to', async () => {
  const { baseUrl, apiKey, accountId } = run;
  const api = new ApiClient(baseUrl, apiKey);
  const other = await json('account', 'create', '--name', 'Other');
  const { key } = await json('key', 'create', '--account', other.accountId, '--name', 'Key');
  expect(await json('ticket', 'list')).toEqual([]);
  const first = await open(api, accountId, 'First');
  const second = await open(new ApiClient(baseUrl, key), other.accountId, 'Second');
  expect(await json('ticket', 'list')).toEqual([
    { accountId: other.accountId, ...second },
    { accountId, ...first },
  ]);

  const body = 'Mended.\n\tTell us if not.';
  const reply = await json('ticket', 'reply', '--account', accountId, '--ticket', first.id, '--body', body);
  const message = { author: 'support', authorName: 'Support', body, createdAt: expect.any(String) };
  expect(reply).toEqual({ accountId, ticketId: first.id, id: expect.any(String), ...message });
  const read = await api.get(`/api/tickets/${first.id}?accountId=${accountId}`);
  expect(read.data).toMatchObject({
    status: 'pending',
    messageCount: 2,
    version: 2,
    updatedAt: reply.createdAt,
  });
  const { items } = (await api.get(`/api/tickets/${first.id}/messages?accountId=${accountId}`)).data;
  expect(items).toEqual([expect.objectContaining({ body: 'Help.' }), { id: reply.id, ...message }]);

  expect(await json('ticket', 'list', '--status', 'pending')).toEqual([{ accountId, ...read.data }]);
  expect(await json('ticket', 'list', '--status', 'closed')).toEqual([]);
  const plain = await operator('ticket', 'list', '--status', 'open');
  const fields = [other.accountId, second.id, 'open', String.raw`\d+s`, 'Second'];
  expect(plain.stdout).toMatch(new RegExp(`^ACCOUNT +TICKET +STATUS +AGE +SUBJECT\n${fields.join(' +')}\n$`));
});

test('a ticket is shown with all its messages, oldest first, and another account’s is not', async () => {
  const { baseUrl, apiKey, accountId } = run;
  const api = new ApiClient(baseUrl, apiKey);
  const { id } = await open(api, accountId, 'Old images');
  const named = ['--account', accountId, '--ticket', id];
  for (let count = 1; count < 22; count += 1)
    await json('ticket', 'reply', ...named, '--body', `Line ${count}\nand more.`);
  const shown = await json('ticket', 'show', ...named);
  const { data: ticket } = await api.get(`/api/tickets/${id}?accountId=${accountId}`);
  expect(shown).toEqual({ accountId, ...ticket, messages: expect.any(Array) });
  const bodies = shown.messages.map(({ body }: { body: string }) => body);
  expect(bodies).toEqual(['Help.', ...Array.from({ length: 21 }, (_, at) => `Line ${at + 1}\nand more.`)]);
  const { stdout } = await operatorAtTerminal('ticket', 'show', ...named);
  expect(stdout).toMatch(
    /^#\d+ Old images\npending, priority normal, other\n\nsvc_\S+ \(customer\), \d+s ago, \S+Z\n {2}Help\.\n\nSupport, .*\n {2}Line 1\n {2}and more\.\n/,
  );
  const foreign = await operator('ticket', 'show', '--account', 'nobody', '--ticket', id);
  expect([foreign.status, foreign.stdout, foreign.stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^operator: Ticket not found\..*\n$/),
  ]);
});

test('a ticket of another account, or none, is refused: exit 1 and one line, and nothing is written', async () => {
  const { baseUrl, apiKey, accountId } = run;
  const { id } = await open(new ApiClient(baseUrl, apiKey), accountId, 'Mine');
  for (const [account, ticket] of [
    ['nobody', id],
    [accountId, 'nothing'],
    [accountId, '00000000000000000000000000'],
  ] as const) {
    const { status, stdout, stderr } = await operator(
      ...['ticket', 'reply', '--account', account, '--ticket', ticket, '--body', 'x'],
    );
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^operator: Ticket not found\..*\n$/),
    ]);
  }
  const { data } = await new ApiClient(baseUrl, apiKey).get(`/api/tickets/${id}?accountId=${accountId}`);
  expect(data.messageCount).toBe(1);
});

function replyTo(...flags: string[]) {
  return ['ticket', 'reply', '--account', 'a', ...flags];
}

test.each([
  [
    'an unknown status',
    ['ticket', 'list', '--status', 'gone'],
    /--status must be one of open, pending, closed/,
  ],
  ['an empty status', ['ticket', 'list', '--status', ''], /--status is empty/],
  ['no body', replyTo('--ticket', 't'), /--body is missing/],
  ['no ticket', replyTo('--body', 'x'), /--ticket is missing/],
  ['no account', ['ticket', 'reply', '--ticket', 't', '--body', 'x'], /--account is missing/],
  ['a control character', replyTo('--ticket', 't', '--body', 'a\u0007'), /--body must not hold control/],
  ['a body too long', replyTo('--ticket', 't', '--body', 'x'.repeat(10_001)), /--body must be at most/],
  ['an unknown verb', ['ticket', 'close', '--ticket', 't'], /no command/],
])('%s is wrong usage: exit 2 and one line', async (_, args, reason) => {
  const { status, stdout, stderr } = await operator(...args);
  expect([status, stdout, stderr.trimEnd().split('\n')]).toEqual([2, '', [expect.stringMatching(reason)]]);
});

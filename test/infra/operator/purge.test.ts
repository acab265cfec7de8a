import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueUrl } from '../../../infra/local/template/identities.ts';
import { listPurges } from '../../../infra/operator/commands/purge-list.ts';
import { sqs } from '../../../shared/aws/sqs.ts';
import { newId } from '../../../shared/ground/id.ts';
import { newestPurges } from '../../../shared/purge/newest-purges.ts';
import type { AcceptedPurge } from '../../../shared/purge/purge.ts';
import { keepUntil } from '../../../shared/purge/purge-count-table.ts';
import { shardedKey } from '../../../shared/purge/purge-shards.ts';
import { acceptedPurge } from '../../support/accepted-purge.ts';
import { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { json, operator, operatorAtTerminal, run } from '../../support/operator.ts';
import { putAll } from '../../support/put-all.ts';
import { volume } from '../../support/volume.ts';

function deadLetter(MessageBody: string) {
  return sqs().send(
    new SendMessageCommand({ QueueUrl: queueUrl('CdnManagement-purge-dead-letter'), MessageBody }),
  );
}

/** A purge whose message was tried in vain until it was given up, and whose record was never written. */
async function givenUp(): Promise<AcceptedPurge> {
  const purge = acceptedPurge(run, ['/a', '/b']);
  await deadLetter(JSON.stringify({ purge }));
  return purge;
}

async function failedIds(): Promise<readonly string[]> {
  return (await json('purge', 'failed')).map(({ id }: { id: string }) => id);
}

test('work that was given up is listed as often as one looks, and runs when it is replayed', async () => {
  expect(await json('purge', 'failed')).toEqual([]);
  const purges = await Promise.all(Array.from({ length: 12 }, givenUp));
  await deadLetter('not a purge');
  const listed = await json('purge', 'failed');
  expect(listed).toHaveLength(13);
  const [first] = purges;
  expect(listed).toContainEqual({
    id: first?.id,
    queue: 'purge',
    accountId: run.accountId,
    propertyId: run.propertyId,
    type: 'url',
    jobCount: 2,
    createdAt: first?.createdAt,
  });
  expect(listed).toContainEqual({ id: expect.any(String), queue: 'purge', body: 'not a purge' });
  const again = await eventually(failedIds, (ids) => ids.length === 13);
  expect(again.toSorted()).toEqual(listed.map(({ id }: { id: string }) => id).toSorted());

  expect(await json('purge', 'replay', '--id', String(first?.id))).toEqual({ replayed: 1 });
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const statusOf = async (id: string | undefined) =>
    (await api.get(`/api/property/${run.propertyId}/purge/${id}`)).data?.status;
  await eventually(
    () => statusOf(first?.id),
    (status) => status === 'completed',
  );
  expect(await failedIds()).not.toContain(first?.id);

  let replayed = 0;
  await eventually(
    async () => {
      replayed += (await json('purge', 'replay')).replayed;
      return replayed;
    },
    (count) => count >= 12,
  );
  for (const { id } of purges) {
    await eventually(
      () => statusOf(id),
      (status) => status === 'completed',
    );
  }
});

test('an id that is not there is an error, and nothing is moved', async () => {
  const { status, stderr } = await operator('purge', 'replay', '--id', 'nothing');
  expect([status, stderr.trim().split('\n')]).toEqual([
    1,
    ['operator: There is no failed work with the id nothing.'],
  ]);
});

interface PurgeRow {
  readonly id: string;
  readonly createdAt: string;
}

/** Records of purges that wait, as the API writes them. */
async function record(purges: readonly AcceptedPurge[]): Promise<void> {
  const items = purges.map(({ hostnames: _, values: __, ...purge }) => ({
    ...purge,
    ...shardedKey(purge),
    expiresAt: keepUntil(purge.createdAt),
  }));
  await putAll('purges', items);
}

test('the purges of all accounts or of one are listed, newest first, also by status', async () => {
  const { accountId } = await json('account', 'create', '--name', 'Other');
  const { key } = await json('key', 'create', '--account', accountId, '--name', 'Key');
  const api = new ApiClient(run.baseUrl, key);
  const { data: property } = await api.post('/api/property', {
    name: 'Other',
    hostnames: ['other.example.com'],
    origin: { url: 'https://origin.example.com' },
  });
  const before: PurgeRow[] = await json('purge', 'list');
  const path = `/api/property/${property.id}/purge`;
  const { purgeId } = (await api.post(`${path}?wait=10`, { type: 'all' })).data;
  const [own] = (await api.get(path)).data.items;
  const row = { accountId, propertyId: property.id, ...own };
  expect(await json('purge', 'list')).toEqual([row, ...before]);
  expect(await json('purge', 'list', '--account', accountId)).toEqual([row]);
  expect(await json('purge', 'list', '--account', accountId, '--status', 'completed')).toEqual([row]);
  expect(await json('purge', 'list', '--account', accountId, '--status', 'failed')).toEqual([]);
  const { stdout, shown } = await operatorAtTerminal('purge', 'list', '--account', accountId);
  expect(stdout).toMatch(
    new RegExp(
      `^PURGE +PROPERTY +STATUS +TYPE +AGE\\n(?=.{0,80}\\n)${purgeId}  ${property.id}  completed  all +\\d+s\\n$`,
    ),
  );
  expect(shown).toEqual(['1 records read', '']);
});

test.each([
  [['--status', 'done'], 2, '--status must be one of queued, running, completed, failed'],
  [['--account', 'nobody'], 1, 'Account not found. help purge list says where to find it.'],
])('purge list %j is refused: exit %i and one line', async (flags, expected, reason) => {
  const { status, stdout, stderr } = await operator('purge', 'list', ...flags);
  expect([status, stdout, stderr]).toEqual([expected, '', `operator: ${reason}\n`]);
});

test('the newest of several properties are read within a limit, and it is known since when none is missing', async () => {
  const now = new Date();
  const [busy, calm, still] = [newId(), newId(), newId()];
  const purgeOf = (propertyId: string, secondsAgo: number) =>
    acceptedPurge({ ...run, propertyId }, ['/'], new Date(now.getTime() - secondsAgo * 1_000));
  const all = [
    ...Array.from({ length: 60 }, (_, index) => purgeOf(busy, index * 2)),
    ...Array.from({ length: 20 }, (_, index) => purgeOf(calm, index * 7 + 1)),
  ].sort((one, other) => (one.id > other.id ? -1 : 1));
  await record(all);
  for (const limit of [3, 4, 10, 33, 79, 200]) {
    for (const count of [1, 5, limit]) {
      let records = 0;
      const isRead = (read: number) => {
        records = read;
      };
      const found = await newestPurges([busy, calm, still], { now, count, limit }, isRead);
      const ids = found.purges.map(({ id }) => id);
      expect(records).toBeLessThanOrEqual(limit);
      expect(ids).toEqual(ids.toSorted().reverse());
      const since = found.isCompleteFrom ?? '';
      const complete = all.filter(({ createdAt }) => createdAt >= since).map(({ id }) => id);
      expect(ids.slice(0, complete.length)).toEqual(complete.slice(0, ids.length));
      if (!found.hasMore) expect(ids).toEqual(all.slice(0, count).map(({ id }) => id));
      expect(found.hasMore).toBe(limit < 200 || count < all.length - 20);
    }
  }
});

test('what is beyond the records that may be read is said to be missing, beside the list', async () => {
  const notes: string[] = [];
  const context = { progress: () => undefined, note: (text: string) => notes.push(text) };
  const read = await listPurges({}, context, 3);
  expect([read.length, notes]).toEqual([
    3,
    [
      expect.stringMatching(
        /^there are more purges than the 3 records that were read: of before \S+Z some are missing$/,
      ),
    ],
  ]);
  expect(await json('purge', 'list')).toEqual(expect.arrayContaining([...read]));
});

test('at most 10,000 records are read for a list of purges', async () => {
  const before: PurgeRow[] = await json('purge', 'list');
  const at = Date.now() - 3_600_000;
  const more = volume(30, 10_001);
  await record(Array.from({ length: more }, (_, index) => acceptedPurge(run, ['/'], new Date(at + index))));
  const { status, stdout, stderr } = await operator('purge', 'list', '--json');
  const ids = JSON.parse(stdout).map(({ id }: PurgeRow) => id);
  expect([status, ids.length]).toEqual([0, Math.min(before.length + more, 10_000)]);
  expect(ids).toEqual(ids.toSorted().reverse());
  expect(stderr).toMatch(
    more > 10_000 ? /^operator: there are more purges than the 10,000 records .*\n$/ : /^$/,
  );
});

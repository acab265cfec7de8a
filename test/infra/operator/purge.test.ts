import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueUrl } from '../../../infra/local/template/identities.ts';
import { sqs } from '../../../shared/aws/sqs.ts';
import type { AcceptedPurge } from '../../../shared/purge/purge.ts';
import { acceptedPurge } from '../../support/accepted-purge.ts';
import { ApiClient } from '../../support/api-client.ts';
import { eventually } from '../../support/eventually.ts';
import { json, operator, run } from '../../support/operator.ts';

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

import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { sqs } from '../../shared/aws/sqs.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { edgeLaggingMessage } from '../../shared/edge/lagging.ts';
import { openBreaker } from '../../shared/edge/lagging-table.ts';
import type { AcceptedPurge } from '../../shared/purge/purge.ts';
import type { PurgeMessage } from '../../shared/purge/purge-queue.ts';
import { recordPurge } from '../../shared/purge/purge-table.ts';
import { getQueueEmptyAt } from '../../shared/purge/queue-state-table.ts';
import { acceptedPurge } from '../support/accepted-purge.ts';
import { callSchedule, catchUpNow, untilCurrent } from '../support/catch-up.ts';
import { eventually } from '../support/eventually.ts';
import { FakeEdge } from '../support/fake-edge.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { edgeOf, PurgeClient } from '../support/purge-client.ts';
import { keyOfEdge } from '../support/registry.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

let run: TestRun;
let purges: PurgeClient;

beforeAll(async () => {
  run = await startTestRun();
  purges = new PurgeClient(run.api, run.propertyId);
});
afterAll(() => run.end());

const minute = 60_000;
const hour = 60 * minute;

/** Records a purge as it was accepted a while ago. */
async function accepted(agoMilliseconds: number, target: string): Promise<AcceptedPurge> {
  const purge = acceptedPurge(run, [target], new Date(Date.now() - agoMilliseconds));
  await recordPurge(purge);
  return purge;
}

const QueueUrl = queueUrl('CdnManagement-purge');

async function sendMessage(purge: AcceptedPurge, DelaySeconds = 0): Promise<void> {
  const message: PurgeMessage = { purge };
  await sqs().send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: JSON.stringify(message),
      DelaySeconds,
    }),
  );
}

/** Ids in the history that have the status. */
async function inHistory(status: string): Promise<string[]> {
  const { data } = await run.api.get(`/api/property/${run.propertyId}/purge?status=${status}`);
  return data.items.map(({ id }: { id: string }) => id);
}

test('a purge with a message that is still waiting is queued, however old it is', async () => {
  const waiting = await accepted(16 * minute, '/waiting');
  await sendMessage(waiting, 900);
  await callSchedule(run);
  expect(await getQueueEmptyAt()).toBeUndefined();
  expect((await purges.get(waiting.id)).status).toBe('queued');
  expect(await inHistory('queued')).toEqual([waiting.id]);
  await sqs().send(new PurgeQueueCommand({ QueueUrl }));
  await sendMessage(waiting);
  await purges.untilIs(waiting.id, 'completed');
});

test('a purge without a message is failed after 15 minutes, and completed when its message comes after all', async () => {
  const lost = await accepted(16 * minute, '/lost');
  const young = await accepted(14 * minute, '/young');
  await eventually(
    async () => {
      await callSchedule(run);
      return purges.get(lost.id);
    },
    ({ status }) => status === 'failed',
  );
  expect(await purges.get(lost.id)).toMatchObject({
    completedJobs: 0,
    failedJobs: 1,
    completedAt: null,
    edges: [],
  });
  expect((await purges.get(young.id)).status).toBe('queued');
  expect([await inHistory('failed'), await inHistory('queued')]).toEqual([[lost.id], [young.id]]);
  await sendMessage(lost);
  expect(await purges.untilIs(lost.id, 'completed')).toMatchObject({ completedJobs: 1, failedJobs: 0 });
});

test('a purge that an edge has not responded to for 24 hours is failed, and completed once it was caught up', async () => {
  const edge = new FakeEdge();
  await edge.start();
  edge.statusOf = () => 503;
  await addEdge(
    { id: 'away', driver: 'varnish', tier: 'edge', secret: 's'.repeat(32), url: edge.url },
    'hash',
  );
  const [old, young] = [await accepted(25 * hour, '/old'), await accepted(23 * hour, '/young')];
  for (const purge of [old, young]) await sendMessage(purge);
  await purges.untilEdgeIs(young.id, 'away', 'retrying');
  const failed = await purges.untilEdgeIs(old.id, 'away', 'failed');
  expect([failed.status, edgeOf(failed, 'embedded')?.status, edgeOf(failed, 'away')?.lastError]).toEqual([
    'failed',
    'completed',
    'the edge responded with 503',
  ]);
  expect((await purges.get(young.id)).status).toBe('running');
  expect(await inHistory('failed')).toEqual([old.id]);
  edge.statusOf = () => 200;
  await catchUpNow(run, 'away');
  for (const { id } of [old, young]) await purges.untilIs(id, 'completed');
  await untilCurrent('away');
  await edge.stop();
});

test('of an edge that lags for over 15 minutes the log says so, for the alarm; of others it does not', async () => {
  for (const [id, ago] of [
    ['long-away', 16 * minute],
    ['just-away', minute],
  ] as const) {
    await addEdge(
      { id, driver: 'varnish', tier: 'edge', url: 'http://127.0.0.1:1', secret: 'x'.repeat(16) },
      'hash',
    );
    await openBreaker(keyOfEdge(id), { kind: 'unreachable', reason: 'away' }, new Date(Date.now() - ago));
  }
  await callSchedule(run);
  const lines = await eventually(
    async () => loggedLines(run).filter((line) => line.includes(edgeLaggingMessage)),
    ({ length }) => length > 0,
  );
  expect(lines.map((line) => JSON.parse(line).message.edgeId)).toEqual(['long-away']);
  for (const id of ['long-away', 'just-away']) await removeEdge(id);
});

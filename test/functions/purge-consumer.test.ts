import { createServer, type Server } from 'node:http';
import {
  GetQueueAttributesCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listen } from '../../infra/local/host/listen.ts';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { sqs } from '../../shared/aws/sqs.ts';
import { addEdge, removeEdge } from '../../shared/edge/edge-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { catchUpNow } from '../support/catch-up.ts';
import { eventually } from '../support/eventually.ts';
import { getFromEdge } from '../support/get-from-edge.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { edgeItems } from '../support/registry.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await startTestRun();
  path = `/api/property/${run.propertyId}/purge`;
});
afterAll(() => run.end());
afterEach(async () => {
  for (const { id } of await edgeItems()) if (id !== 'embedded') await removeEdge(id);
});

async function purge(): Promise<string> {
  return (await run.api.post(path, { type: 'all' })).data.purgeId;
}

async function statusOf(id: string) {
  return (await run.api.get(`${path}/${id}`)).data;
}

interface Status {
  readonly status: string;
  readonly edges: readonly { readonly id: string; readonly status: string }[];
}

function edgeIn(status: Status, id: string) {
  return status.edges.find((edge) => edge.id === id);
}

function isRetrying(id: string) {
  return (status: Status): boolean => edgeIn(status, id)?.status === 'retrying';
}

function untilCompleted(id: string, limit?: number) {
  return eventually(
    () => statusOf(id),
    ({ status }) => status === 'completed',
    limit,
  );
}

test('an edge that is away is retried alone and waited for no longer than asked; it is done when it comes back', async () => {
  let server: Server | undefined = createServer();
  const port = await listen(server, 0, 'a port');
  await new Promise((resolve) => server?.close(resolve));
  const edge = { id: 'away', driver: 'varnish', tier: 'edge', secret: 's'.repeat(32) } as const;
  await addEdge({ ...edge, url: `http://127.0.0.1:${port}` }, 'hash');
  await getFromEdge(run.edgeUrl, run.hostname, '/held');
  const send = (query = '') =>
    run.api.send(path + query, {
      method: 'POST',
      headers: [
        ['X-API-Key', run.apiKey],
        ['Idempotency-Key', 'away'],
      ],
      body: { type: 'all' },
    });
  const id = (await send()).data.purgeId;
  const running = await eventually(() => statusOf(id), isRetrying('away'));
  expect(running.status).toBe('running');
  expect(edgeIn(running, 'away')).toMatchObject({
    status: 'retrying',
    attempts: 3,
    lastError: expect.stringContaining('ECONNREFUSED'),
  });
  expect(edgeIn(running, 'embedded')).toMatchObject({ status: 'completed', attempts: 1, removed: 1 });
  const sentAt = performance.now();
  const waited = await send('?wait=1');
  const seconds = (performance.now() - sentAt) / 1_000;
  expect([waited.status, waited.data]).toEqual([
    200,
    { jobCount: 1, purgeId: id, status: 'running', edges: running.edges },
  ]);
  expect([seconds >= 1, seconds < 4]).toEqual([true, true]);
  server = createServer((_, response) => response.end('{"removed":0}'));
  await listen(server, port, 'the port');
  await catchUpNow(run, 'away');
  const done = await untilCompleted(id);
  expect(edgeIn(done, 'away')).toMatchObject({ status: 'completed', removed: 0 });
  expect(edgeIn(done, 'embedded')).toMatchObject({ attempts: 1 });
  server.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

test('an edge that refuses the signature is failed at once, with the reason', async () => {
  await addEdge(
    { id: 'wrong', driver: 'varnish', tier: 'edge', secret: 'not the secret', url: run.edgeUrl },
    'hash',
  );
  const id = await purge();
  const failed = await eventually(
    () => statusOf(id),
    ({ status }) => status === 'failed',
  );
  expect(edgeIn(failed, 'wrong')).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: expect.stringContaining('401'),
  });
  expect(edgeIn(failed, 'embedded')).toMatchObject({ status: 'completed' });
  expect([failed.completedJobs, failed.failedJobs]).toEqual([0, 1]);
});

test('an edge taken out of service while it is retried no longer holds the purge up', async () => {
  await addEdge(
    { id: 'gone', driver: 'varnish', tier: 'edge', secret: 's'.repeat(32), url: 'http://127.0.0.1:1' },
    'hash',
  );
  const id = await purge();
  await eventually(() => statusOf(id), isRetrying('gone'));
  await removeEdge('gone');
  await catchUpNow(run, 'gone');
  const done = await untilCompleted(id);
  expect(done.edges.map((edge: { id: string }) => edge.id)).toEqual(['embedded']);
});

test('with the queue away the response is 503, nothing is half-done, and a retry completes it', async () => {
  run.aws.fault = (operation) => (operation === 'sqs:SendMessage' ? 'refuse' : undefined);
  const deletions = () =>
    run.aws.calls.filter(
      ({ operation, functionName }) =>
        operation === 'dynamodb:DeleteItem' && functionName === 'CdnManagement-purge-create',
    ).length;
  const deletedBefore = deletions();
  const large = Array.from({ length: 300 }, (_, number) => `/${number}/${newId()}`);
  const refused = await run.api.post(path, { type: 'url', urls: large });
  run.aws.fault = () => undefined;
  expect([refused.status, refused.headers['retry-after'], refused.envelope.data]).toEqual([503, '5', null]);
  expect(deletions() - deletedBefore).toBe(2);
  const again = await run.api.post(path, { type: 'url', urls: ['/x'] });
  expect(again.status).toBe(200);
  await untilCompleted(again.data.purgeId);
});

test('when only the record cannot be written the response is 503, and the message makes the record', async () => {
  let first = '';
  run.aws.fault = (operation, body, functionName) => {
    if (functionName !== 'CdnManagement-purge-create') return undefined;
    if (operation === 'sqs:SendMessage') first = JSON.parse(String(body.MessageBody)).purge.id;
    return operation === 'dynamodb:PutItem' ? { type: 'InternalServerError', status: 500 } : undefined;
  };
  const response = await run.api.post(path, { type: 'url', urls: ['/y'] });
  run.aws.fault = () => undefined;
  const done = await eventually(
    () => statusOf(first),
    (status) => status?.status === 'completed',
  );
  expect(response.status).toBe(503);
  expect(done.values).toEqual(['/y']);
});

async function countIn(queue: string): Promise<number> {
  const { Attributes } = await sqs().send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl(queue),
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** In the place of the stack's own limit, which `test/infra/stack.test.ts` holds. */
async function giveUpAfter(maxReceiveCount: number): Promise<void> {
  const QueueUrl = queueUrl('CdnManagement-purge');
  const { Attributes } = await sqs().send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['RedrivePolicy'] }),
  );
  const policy = { ...JSON.parse(Attributes?.RedrivePolicy ?? '{}'), maxReceiveCount };
  await sqs().send(
    new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy: JSON.stringify(policy) } }),
  );
}

test('a poison message ends in the dead-letter queue and takes no other with it', async () => {
  await giveUpAfter(volume(3, 5));
  const poison = ['not JSON', '{"purge":{}}', '{}'];
  for (const MessageBody of poison) {
    await sqs().send(new SendMessageCommand({ QueueUrl: queueUrl('CdnManagement-purge'), MessageBody }));
  }
  const purges = new PurgeClient(run.api, run.propertyId);
  const ids: string[] = [];
  for (let number = 0; number < 10; number += 1) ids.push(await purges.send());
  await purges.untilAllAre(ids, 'completed');
  await eventually(
    () => countIn('CdnManagement-purge-dead-letter'),
    (count) => count === poison.length,
  );
});

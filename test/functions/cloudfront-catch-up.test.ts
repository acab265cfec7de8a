import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildApp } from '../../infra/synthesize.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import { callSchedule, loseCatchUpMessages, untilCurrent } from '../support/catch-up.ts';
import { eventually } from '../support/eventually.ts';
import { FakeCloudFront } from '../support/fake-cloudfront.ts';
import { edgeOf, PurgeClient } from '../support/purge-client.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

const distribution = 'E2QWRUHAPOMQZL';

const fake = new FakeCloudFront();

let folder: string;
let run: TestRun;
let purges: PurgeClient;

beforeAll(async () => {
  process.env.CDK_VALIDATION = 'false';
  folder = mkdtempSync(join(tmpdir(), 'cdn-management-cloudfront-'));
  const assembly = join(folder, 'cdk.out');
  const options = { cloudFrontDistributions: distribution };
  (await buildApp({ bundles: join(folder, 'bundles'), assembly, options })).synth();
  fake.distributions.add(distribution);
  await fake.start();
  run = await startTestRun({ assembly, cloudfront: fake.url });
  purges = new PurgeClient(run.api, run.propertyId);
  const url = `cloudfront:${distribution}`;
  await addEdge({ id: 'cdn', driver: 'cloudfront', tier: 'edge', secret: undefined, url }, 'hash');
});
afterAll(async () => {
  await run.end();
  await fake.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  fake.pollsUntilDone = 1;
  fake.invalidations.length = 0;
});
afterEach(async () => {
  run.aws.fault = () => undefined;
  fake.pollsUntilDone = 0;
  await untilCurrent('cdn');
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function started(count: number) {
  return eventually(
    async () => fake.invalidations.length,
    (length) => length === count,
    30_000,
  );
}

/** Sends purges that wait together, since nobody is told that they came. */
async function sendTogether(bodies: readonly object[]): Promise<readonly string[]> {
  loseCatchUpMessages(run);
  const ids = await Promise.all(bodies.map((body) => purges.send(body)));
  for (const id of ids) await purges.untilEdgeIs(id, 'embedded', 'completed');
  return ids;
}

/** One message that asks for the edge's catch-up, delivered. */
function deliver(messageId: string): Promise<unknown> {
  const record = { messageId, body: JSON.stringify({ edgeId: 'cdn' }) };
  return run.functions.invoke('CdnManagement-catch-up', { Records: [record] });
}

test('a purge is completed when CloudFront has done it twice, and not before', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const id = await purges.send({ type: 'url', urls: ['/news'] });
  await eventually(
    async () => fake.invalidations[0]?.polls,
    (polls) => polls !== undefined && polls > 0,
    30_000,
  );
  const running = await purges.get(id);
  expect([running.status, edgeOf(running, 'embedded')?.status]).toEqual(['running', 'completed']);
  expect(edgeOf(running, 'cdn')).toEqual({ id: 'cdn', tier: 'edge', status: 'pending', attempts: 1 });
  fake.pollsUntilDone = 0;
  const done = await purges.untilIs(id, 'completed');
  expect(edgeOf(done, 'cdn')).toMatchObject({ status: 'completed', attempts: 2 });
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/news'], ['/news']]);
});

test('many purges that come together become one invalidation of each kind for each of the two passes', async () => {
  const ids = await sendTogether([
    ...range(40).map((number) => ({ type: 'url', urls: [`/${number}`] })),
    ...range(10).map((number) => ({ type: 'prefix', prefixes: [`/${number}/`] })),
  ]);
  run.aws.fault = () => undefined;
  await callSchedule(run);
  for (const id of ids) await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => paths.length).sort()).toEqual([10, 10, 40, 40]);
});

test('what goes over a limit waits, is merged upwards, and all of it is done when there is room', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const full = await purges.send({ type: 'prefix', prefixes: range(15).map((number) => `/${number}/`) });
  await started(1);
  const waiting = await purges.send({ type: 'prefix', prefixes: ['/late/'] });
  const retried = await purges.untilEdgeIs(waiting, 'cdn', 'retrying');
  expect([retried.status, edgeOf(retried, 'cdn')?.lastError]).toEqual([
    'running',
    'CloudFront is still at work on as many paths as it takes at a time',
  ]);
  const many = await Promise.all(
    range(2).map((half) => purges.send({ type: 'url', urls: range(600).map((page) => `/${half}/${page}`) })),
  );
  for (const id of many) await purges.untilEdgeIs(id, 'cdn', 'retrying');
  expect([fake.invalidations.length, (await purges.get(full)).status]).toEqual([1, 'running']);
  fake.pollsUntilDone = 0;
  for (const id of [waiting, ...many]) {
    expect(edgeOf(await purges.untilIs(id, 'completed'), 'cdn')?.coveredBy).toBe('all');
  }
  expect(edgeOf(await purges.untilIs(full, 'completed'), 'cdn')?.coveredBy).toBeUndefined();
  expect(fake.invalidations.map(({ paths }) => paths.length)).toEqual([15, 15, 1, 1]);
  expect(fake.invalidations.at(-1)?.paths).toEqual(['/*']);
});

test('a property whose purge CloudFront does not take yet holds up no other', async () => {
  const paths = range(15).map((number) => `/${number}/*`);
  const foreign = { id: 'I0', distribution, reference: 'of somebody else', paths, polls: 0 };
  fake.invalidations.push(foreign);
  const body = { name: 'Other', hostnames: ['other.example.com'], origin: { url: 'http://127.0.0.1:1' } };
  const others = new PurgeClient(run.api, (await run.api.post('/api/property', body)).data.id);
  const waiting = await purges.send({ type: 'prefix', prefixes: ['/late/'] });
  await purges.untilEdgeIs(waiting, 'cdn', 'retrying');
  const taken = await others.send({ type: 'url', urls: ['/news'] });
  await others.untilIs(taken, 'completed');
  expect((await purges.get(waiting)).status).toBe('running');
  foreign.polls = 1;
  await purges.untilIs(waiting, 'completed');
});

test('a catch-up that dies before it has noted what it started starts nothing twice', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const ids = await sendTogether(range(3).map((number) => ({ type: 'url', urls: [`/${number}`] })));
  run.aws.fault = (operation, _, functionName) =>
    fake.invalidations.length > 0 &&
    operation.startsWith('dynamodb:') &&
    functionName === 'CdnManagement-catch-up'
      ? 'refuse'
      : undefined;
  const died = await deliver('the message');
  expect(died).toEqual({ batchItemFailures: [{ itemIdentifier: 'the message' }] });
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/0', '/1', '/2']]);
  for (const id of ids) expect(edgeOf(await purges.get(id), 'cdn')?.status).toBe('pending');
  run.aws.fault = () => undefined;
  await deliver('the message');
  fake.pollsUntilDone = 0;
  for (const id of ids) await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([
    ['/0', '/1', '/2'],
    ['/0', '/1', '/2'],
  ]);
});

test('an invalidation that CloudFront no longer knows is started again', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const id = await purges.send({ type: 'url', urls: ['/news'] });
  await purges.until(id, (purge) => edgeOf(purge, 'cdn')?.attempts === 1);
  fake.invalidations.length = 0;
  fake.pollsUntilDone = 1;
  const done = await purges.untilIs(id, 'completed');
  expect(edgeOf(done, 'cdn')?.attempts).toBe(3);
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/news'], ['/news']]);
});

test('without access a purge is failed, with the reason, and completed when there is access', async () => {
  fake.foreign.add(distribution);
  const first = await purges.send();
  const failed = await purges.untilIs(first, 'failed');
  expect(edgeOf(failed, 'cdn')).toMatchObject({
    status: 'failed',
    lastError: expect.stringContaining('CloudFront does not let us'),
  });
  expect(edgeOf(failed, 'embedded')?.status).toBe('completed');
  const second = await purges.send({ type: 'url', urls: ['/news'] });
  await purges.untilIs(second, 'failed');
  expect(fake.invalidations).toEqual([]);
  fake.foreign.delete(distribution);
  for (const id of [first, second]) {
    const done = await purges.untilIs(id, 'completed');
    expect(edgeOf(done, 'cdn')).not.toHaveProperty('lastError');
  }
});

import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { queueUrl } from '../../infra/local/template/identities.ts';
import { sqs } from '../../shared/aws/sqs.ts';
import type { InvalidationMessage } from '../../shared/delivery/invalidation-queue.ts';
import type { Edge } from '../../shared/edge/edge.ts';
import { addEdge, removeEdge, replaceEdge } from '../../shared/edge/edge-table.ts';
import { edgeLaggingMessage } from '../../shared/edge/lagging.ts';
import { openBreaker } from '../../shared/edge/lagging-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { purgesGivenUpMessage } from '../../shared/invalidation/next-message.ts';
import { completionTimeMetric } from '../../shared/purge/completion-times.ts';
import { type Progress, pendingOn } from '../../shared/purge/progress.ts';
import { startPurge } from '../../shared/purge/purge-progress-table.ts';
import { acceptedPurge } from '../support/accepted-purge.ts';
import { callSchedule, catchUpNow } from '../support/catch-up.ts';
import { cloudFrontEdge, startCloudFrontRun } from '../support/cloudfront-run.ts';
import { eventually } from '../support/eventually.ts';
import { FakeCloudFront } from '../support/fake-cloudfront.ts';
import { FakeEdge } from '../support/fake-edge.ts';
import { matcherOf } from '../support/filter-pattern.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { edgeOf, PurgeClient } from '../support/purge-client.ts';
import { edgesInService, keyOfEdge } from '../support/registry.ts';
import { templateResources } from '../support/template-file.ts';
import type { TestRun } from '../support/test-run.ts';

const distribution = 'E2QWRUHAPOMQZL';

/** For one account's purges only, and asked to remove everything where it cannot do what it is asked. */
let cdn: Edge;

const fake = new FakeCloudFront();

let run: TestRun;
let purges: PurgeClient;

beforeAll(async () => {
  run = await startCloudFrontRun(fake, distribution);
  purges = new PurgeClient(run.api, run.propertyId);
  const scope = { accounts: [run.accountId], properties: [] };
  cdn = { ...cloudFrontEdge(distribution), scope, isWidened: true };
  await addEdge(cdn, 'hash');
});
afterAll(async () => {
  await run.end();
  await fake.stop();
});
beforeEach(() => {
  fake.pollsUntilDone = 0;
  fake.invalidations.length = 0;
});
afterEach(() => {
  run.aws.fault = () => undefined;
  fake.pollsUntilDone = 0;
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function started(count: number) {
  return eventually(
    async () => fake.invalidations.length,
    (length) => length === count,
  );
}

/** A purge that was brought to every edge but CloudFront, whose message is not sent. */
async function startedPurge(
  values: readonly string[],
  type: 'url' | 'prefix' | 'tag' = 'url',
  shields: Progress = {},
): Promise<string> {
  const purge = { ...acceptedPurge(run, values), type };
  const pending = pendingOn((await edgesInService()).all);
  const embedded = { tier: 'edge', status: 'completed', attempts: 1, completedAt: Date.now() } as const;
  await startPurge(purge, { ...pending, embedded, ...shields }, new Date());
  return purge.id;
}

/** What SQS has gathered, handed to the function: each purge’s message as the consumer sends it. */
function deliver(ids: readonly string[], since = new Date()): Promise<unknown> {
  const Records = ids.map((id) => {
    const message: InvalidationMessage = {
      edgeId: 'cdn',
      propertyId: run.propertyId,
      purgeIds: [id],
      since: since.toISOString(),
      failures: 0,
      pass: 1,
    };
    const attributes = { ApproximateReceiveCount: '1' };
    return {
      messageId: `message of ${id}`,
      receiptHandle: 'none',
      attributes,
      body: JSON.stringify(message),
    };
  });
  return run.functions.invoke('CdnManagement-invalidation-consumer', { Records });
}

/** The bill must be what the purges' own status says. */
async function expectBilled(ids: readonly string[]): Promise<void> {
  const shown = await Promise.all(ids.map(async (id) => edgeOf(await purges.get(id), 'cdn')?.paths ?? 0));
  const billed = fake.invalidations.reduce((sum, { paths }) => sum + paths.length, 0);
  expect(shown.reduce((sum, paths) => sum + paths, 0)).toBe(billed);
}

test('a purge is completed when CloudFront has done it twice, and not before', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const id = await purges.send({ type: 'url', urls: ['/news'] });
  await eventually(
    async () => fake.invalidations[0]?.polls,
    (polls) => polls !== undefined && polls > 0,
  );
  const running = await purges.get(id);
  expect([running.status, edgeOf(running, 'embedded')?.status]).toEqual(['running', 'completed']);
  expect(edgeOf(running, 'cdn')).toEqual({
    id: 'cdn',
    tier: 'edge',
    status: 'pending',
    attempts: 1,
    paths: 1,
  });
  fake.pollsUntilDone = 0;
  const done = await purges.untilIs(id, 'completed');
  expect(edgeOf(done, 'cdn')).toMatchObject({ status: 'completed', attempts: 2, paths: 2 });
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/news'], ['/news']]);
});

test('many purges that come together become one invalidation of each kind for each of the two passes', async () => {
  const ids = [
    ...(await Promise.all(range(40).map((number) => startedPurge([`/${number}`])))),
    ...(await Promise.all(range(10).map((number) => startedPurge([`/${number}/`], 'prefix')))),
  ];
  await deliver(ids);
  for (const id of ids) await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => paths.length).sort()).toEqual([10, 10, 40, 40]);
  await expectBilled(ids);
});

test('purges that are sent within a second need fewer invalidations than there are purges', async () => {
  const ids = await Promise.all(
    range(20).map((number) => purges.send({ type: 'url', urls: [`/${number}`] })),
  );
  for (const id of ids) await purges.untilIs(id, 'completed');
  const paths = fake.invalidations.flatMap((invalidation) => invalidation.paths);
  expect(paths.sort()).toEqual(
    range(20)
      .flatMap((number) => [`/${number}`, `/${number}`])
      .sort(),
  );
  expect(fake.invalidations.length).toBeLessThan(20);
  await expectBilled(ids);
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
    range(2).map((half) => startedPurge(range(600).map((page) => `/${half}/${page}`))),
  );
  await deliver(many);
  for (const id of many) await purges.untilEdgeIs(id, 'cdn', 'retrying');
  expect([fake.invalidations.length, (await purges.get(full)).status]).toEqual([1, 'running']);
  fake.pollsUntilDone = 0;
  for (const id of many) expect(edgeOf(await purges.untilIs(id, 'completed'), 'cdn')?.coveredBy).toBe('all');
  for (const id of [full, waiting]) await purges.untilIs(id, 'completed');
  expect(edgeOf(await purges.get(full), 'cdn')?.coveredBy).toBeUndefined();
  const lengths = fake.invalidations.map(({ paths }) => paths.length);
  expect(lengths.filter((length) => length > 1)).toEqual([15, 15]);
  await expectBilled([...many, full, waiting]);
  expect(fake.invalidations.filter(({ paths }) => paths[0] === '/*')).toHaveLength(2);
});

test('a property whose purge CloudFront does not take yet holds up no other', async () => {
  fake.pollsUntilDone = 1;
  const paths = range(15).map((number) => `/${number}/*`);
  const foreign = { id: 'I0', distribution, reference: 'of somebody else', paths, at: 0, polls: 0 };
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

test('a function that dies before it has noted what it started starts nothing twice', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const ids = await Promise.all(range(3).map((number) => startedPurge([`/${number}`])));
  run.aws.fault = (operation) =>
    fake.invalidations.length > 0 && operation.startsWith('dynamodb:') ? 'refuse' : undefined;
  const died = await deliver(ids);
  expect(died).toEqual({ batchItemFailures: ids.map((id) => ({ itemIdentifier: `message of ${id}` })) });
  run.aws.fault = () => undefined;
  expect(fake.invalidations.map(({ paths }) => [...paths].sort())).toEqual([['/0', '/1', '/2']]);
  for (const id of ids) expect(edgeOf(await purges.get(id), 'cdn')?.attempts).toBe(0);
  await deliver(ids);
  fake.pollsUntilDone = 0;
  for (const id of ids) await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => [...paths].sort())).toEqual([
    ['/0', '/1', '/2'],
    ['/0', '/1', '/2'],
  ]);
  await expectBilled(ids);
});

test('what CloudFront began is billed once, though its response is lost and the message comes again', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  run.aws.fault = (operation) => (operation === 'cloudfront:CreateInvalidation' ? 'lose' : undefined);
  const id = await startedPurge(['/lost'], 'prefix');
  await deliver([id]);
  const untold = { id: 'cdn', tier: 'edge', status: 'retrying', attempts: 0, lastError: expect.any(String) };
  expect([edgeOf(await purges.get(id), 'cdn'), fake.invalidations.length]).toEqual([untold, 1]);
  run.aws.fault = () => undefined;
  await deliver([id]);
  const [pass] = fake.invalidations;
  if (pass) pass.polls = Number.POSITIVE_INFINITY;
  await purges.until(id, (purge) => edgeOf(purge, 'cdn')?.paths === 6);
  await deliver([id]);
  fake.pollsUntilDone = 0;
  await purges.untilIs(id, 'completed');
  const three = ['/lost', '/lost/*', '/lost?*'];
  expect(fake.invalidations.map(({ paths }) => [...paths].sort())).toEqual([three, three]);
  await expectBilled([id]);
});

test('what it cannot do exactly is everything there; another account’s purge asks it for nothing', async () => {
  const body = { name: 'Foreign', hostnames: ['foreign.example.com'], origin: { url: 'http://127.0.0.1:1' } };
  const { id: foreignId } = (await run.stranger.post('/api/property', body)).data;
  const foreign = new PurgeClient(run.stranger, foreignId);
  const elsewhere = await foreign.send({ type: 'url', urls: ['/news'] });
  const byTag = await startedPurge(['news'], 'tag');
  await deliver([byTag]);
  expect(edgeOf(await purges.untilIs(byTag, 'completed'), 'cdn')).toMatchObject({
    coveredBy: 'all',
    paths: 2,
  });
  expect((await foreign.untilIs(elsewhere, 'completed')).edges.map(({ id }) => id)).toEqual(['embedded']);
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/*'], ['/*']]);
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

test('an edge of a single pass is asked once for each purge', async () => {
  await replaceEdge({ ...cdn, isSinglePass: true });
  const id = await purges.send({ type: 'url', urls: ['/once'] });
  expect(edgeOf(await purges.untilIs(id, 'completed'), 'cdn')?.attempts).toBe(1);
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/once']]);
  await expectBilled([id]);
  await replaceEdge({ ...cdn, isSinglePass: false });
});

test('below a shield that is away nothing is invalidated until the shield has done it', async () => {
  const shield = new FakeEdge();
  await shield.start();
  shield.statusOf = () => 503;
  await addEdge(
    { id: 'shield', driver: 'varnish', tier: 'shield', secret: 's'.repeat(32), url: shield.url },
    'hash',
  );
  const id = await purges.send({ type: 'url', urls: ['/below'] });
  const waiting = await purges.untilEdgeIs(id, 'shield', 'retrying');
  expect(edgeOf(waiting, 'cdn')).toEqual({ id: 'cdn', tier: 'edge', status: 'pending', attempts: 0 });
  expect(fake.invalidations).toEqual([]);
  shield.statusOf = () => 200;
  await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual([['/below'], ['/below']]);
  await removeEdge('shield');
  await shield.stop();
});

test('a message that comes before the shield has done the purge invalidates nothing', async () => {
  const away = { tier: 'shield', status: 'retrying', attempts: 1 } as const;
  await deliver([await startedPurge(['/early'], 'url', { away })]);
  expect(fake.invalidations).toEqual([]);
});

test('below a shield that denied, what was invalidated is invalidated again once the shield has done it', async () => {
  const shield = new FakeEdge();
  await shield.start();
  shield.statusOf = () => 401;
  await addEdge(
    { id: 'denying', driver: 'varnish', tier: 'shield', secret: 's'.repeat(32), url: shield.url },
    'hash',
  );
  const id = await purges.send({ type: 'url', urls: ['/again'] });
  const failed = await purges.untilEdgeIs(id, 'cdn', 'completed');
  expect(edgeOf(failed, 'denying')?.status).toBe('failed');
  expect(fake.invalidations).toHaveLength(2);
  shield.statusOf = () => 200;
  await catchUpNow(run, 'denying');
  await purges.untilIs(id, 'completed');
  expect(fake.invalidations.map(({ paths }) => paths)).toEqual(Array.from({ length: 4 }, () => ['/again']));
  await removeEdge('denying');
  await shield.stop();
});

test('an edge that is removed while CloudFront is at work holds no purge up', async () => {
  fake.pollsUntilDone = Number.POSITIVE_INFINITY;
  const id = await purges.send({ type: 'url', urls: ['/removed'] });
  await started(1);
  await removeEdge('cdn');
  const { edges } = await purges.untilIs(id, 'completed');
  expect(edges.map((edge) => edge.id)).toEqual(['embedded']);
  await addEdge(cdn, 'hash');
});

test('an edge whose scope the property has left is asked for nothing, and holds the purge up no more', async () => {
  const id = await startedPurge(['/left']);
  await replaceEdge({ ...cdn, scope: { accounts: [], properties: [newId()] } });
  await deliver([id]);
  const { status, edges } = await purges.get(id);
  expect([status, edges.map((edge) => edge.id)]).toEqual(['completed', ['embedded']]);
  expect(fake.invalidations).toEqual([]);
  await replaceEdge(cdn);
});

test('what has failed for a day is given up, and logged', async () => {
  fake.foreign.add(distribution);
  const id = await startedPurge(['/old']);
  await deliver([id], new Date(Date.now() - 25 * 3600 * 1000));
  expect(edgeOf(await purges.get(id), 'cdn')?.status).toBe('failed');
  const givenUp = await eventually(
    async () => linesCountedAs('PurgesGivenUp'),
    ({ length }) => length > 0,
  );
  expect(givenUp).toMatchObject([
    { level: 'ERROR', message: { edgeId: 'cdn', propertyId: run.propertyId, purgeIds: [id] } },
  ]);
  fake.foreign.delete(distribution);
});

/** What a metric filter of the stack counts of all that the functions have written. */
function linesCountedAs(metric: string) {
  const filters = Object.values(templateResources()).filter(({ Type }) => Type === 'AWS::Logs::MetricFilter');
  const filter = filters.find(({ Properties }) =>
    JSON.stringify(Properties).includes(`"MetricName":"${metric}"`),
  );
  const isCounted = matcherOf(String(filter?.Properties?.FilterPattern));
  return loggedLines(run)
    .filter(isCounted)
    .map((line) => JSON.parse(line));
}

test('each metric filter counts the lines of its own fault, and of no other', async () => {
  const reason = `${edgeLaggingMessage}, ${purgesGivenUpMessage}`;
  const away = {
    driver: 'varnish',
    tier: 'edge',
    url: 'http://127.0.0.1:1',
    secret: 's'.repeat(32),
  } as const;
  await addEdge({ id: 'long-away', ...away }, 'hash');
  await openBreaker(
    keyOfEdge('long-away'),
    { kind: 'unreachable', reason },
    new Date(Date.now() - 16 * 60_000),
  );
  await callSchedule(run);
  for (const name of ['purge', 'catch-up', 'invalidation']) {
    const QueueUrl = queueUrl(`CdnManagement-${name}`);
    await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: reason }));
  }
  for (const failing of ['authorizer', 'property-list']) {
    run.aws.fault = (_, __, name) =>
      name === `CdnManagement-${failing}` ? { type: edgeLaggingMessage } : undefined;
    await run.api.get('/api/property');
  }
  const others = [
    ...['purge not delivered', 'edge not caught up', 'purges not invalidated', 'authentication failed'],
    ...['request failed', 'function CdnManagement-authorizer failed', completionTimeMetric],
  ];
  await eventually(
    async () => loggedLines(run).join('\n'),
    (text) => linesCountedAs('EdgesLagging').length > 0 && others.every((each) => text.includes(`"${each}"`)),
  );
  const lagging = linesCountedAs('EdgesLagging').map(({ level, message }) => [
    level,
    message.edgeId,
    message.reason,
  ]);
  expect(new Set(lagging.map(String))).toEqual(new Set([String(['WARN', 'long-away', reason])]));
  expect(linesCountedAs('PurgesGivenUp').map(({ message }) => message.edgeId)).toEqual(['cdn']);
});

/** The values of the metric, line by line. */
function completionTimes(): readonly (readonly number[])[] {
  const lines = loggedLines(run).filter((line) => line.includes(`"${completionTimeMetric}"`));
  return lines.map((line) => {
    const { _aws, [completionTimeMetric]: values } = JSON.parse(line);
    const Metrics = [{ Name: completionTimeMetric, Unit: 'Milliseconds' }];
    const CloudWatchMetrics = [{ Namespace: 'CdnManagement', Dimensions: [[]], Metrics }];
    expect(_aws).toEqual({ Timestamp: expect.any(Number), CloudWatchMetrics });
    return values;
  });
}

/** From acceptance to completion, of every completed purge of both accounts, as the API shows it. */
async function shownTimes(): Promise<readonly number[]> {
  const shown: { createdAt: string; completedAt: string }[] = [];
  for (const api of [run.api, run.stranger]) {
    const properties = (await api.get('/api/property?pageSize=100')).data.items;
    const pages = properties.flatMap(({ id }: { id: string }) =>
      [1, 2, 3].map((page) => `/api/property/${id}/purge?status=completed&pageSize=100&pageNumber=${page}`),
    );
    for (const page of pages) shown.push(...(await api.get(page)).data.items);
  }
  return shown.map(({ createdAt, completedAt }) => Date.parse(completedAt) - Date.parse(createdAt));
}

test('every completed purge is measured once, as the API shows it, in a line for each event of a consumer', async () => {
  await removeEdge('cdn');
  const waiting = await purges.send({ type: 'url', urls: ['/missed'] });
  await purges.untilEdgeIs(waiting, 'long-away', 'retrying');
  await removeEdge('long-away');
  await catchUpNow(run, 'long-away');
  await purges.untilIs(waiting, 'completed');
  await purges.untilIs(await purges.send(), 'completed');
  await removeEdge('embedded');
  await purges.untilIs(await purges.send(), 'completed');
  const shown = [...(await shownTimes())].sort();
  expect(shown.length).toBeGreaterThan(50);
  await eventually(
    async () => [...completionTimes().flat()].sort(),
    (measured) => measured.join() === shown.join(),
  );
  const alarms = Object.values(templateResources()).map(({ Properties }) => Properties);
  expect(alarms).toContainEqual(
    expect.objectContaining({ Namespace: 'CdnManagement', MetricName: completionTimeMetric }),
  );
  expect(Math.max(...completionTimes().map(({ length }) => length))).toBeGreaterThanOrEqual(40);
});

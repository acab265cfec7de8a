import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { physicalDeadLetterQueueName } from '../../infra/definition/physical-names.ts';
import { queueDepth } from '../../infra/operator/aws/queue-depth.ts';
import { hostKey, urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { namesOf } from '../../shared/ground/names.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { queues } from '../../shared/ground/resources.ts';
import type { ApiResponse } from '../support/api-client.ts';
import { callSchedule, catchUpNow } from '../support/catch-up.ts';
import { cloudFrontAssembly, cloudFrontEdge, startCloudFrontRun } from '../support/cloudfront-run.ts';
import { eventually } from '../support/eventually.ts';
import { FakeCloudFront } from '../support/fake-cloudfront.ts';
import { tokenOf, withToken } from '../support/identity.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { RecordingEdge, serveByEdges } from '../support/recording-edge.ts';
import { newFormPath, nextVersion } from '../support/release/next-version.ts';
import { RollingEnvironments } from '../support/release/rolling-environment.ts';
import { Rollout, type Version } from '../support/release/rollout.ts';
import { buildTree, changedTree, treeOfCommit } from '../support/release/source-tree.ts';
import type { TestRun } from '../support/test-run.ts';

/** The commit or tag that is deployed; without it, today's version is, and is followed by one that stands for the next. */
const deployed = process.env.RELEASE_FROM;
const purgesEachWay = 500;
const atOnce = 4;
const distribution = 'E2QWRUHAPOMQZL';
const acceptor = 'CdnManagement-purge-create';
const consumer = 'CdnManagement-purge-consumer';
const longestMilliseconds = 120_000;

const [shield, flaky] = [new RecordingEdge(), new RecordingEdge()];
const edges = { shield, flaky };
const cloudfront = new FakeCloudFront();
let rollout: Rollout;
let environments: RollingEnvironments;
let run: TestRun;
let path: string;
let token: string;

/** Which version accepted each purge, and which its message was done with by. */
const acceptedBy = new Map<string, Version>();
const consumedBy = new Map<string, Version>();
/** URLs of the purges that were acknowledged, by their ids. */
const acknowledged = new Map<string, string>();
const refused: string[] = [];
let requests = 0;

beforeAll(async () => {
  const folder = join(mkdtempSync(join(inject('folder'), 'release-')), 'tree');
  if (deployed) await treeOfCommit(folder, deployed);
  else changedTree(folder, nextVersion);
  const here = cloudFrontAssembly(distribution);
  const there = await buildTree(folder, { cloudFrontDistributions: distribution });
  const assemblies = deployed ? { old: there, new: here } : { old: here, new: there };
  rollout = new Rollout(assemblies, acceptor, consumer);
  environments = new RollingEnvironments(rollout, noteServed);
  run = await startCloudFrontRun(cloudfront, distribution, {
    assembly: assemblies.new,
    grants: { get: (name) => rollout.grantsOf(name) },
    makeEnvironment: environments.make,
  });
  path = `/api/property/${run.propertyId}/purge`;
  await serveByEdges([
    ['shield', shield, 'shield'],
    ['flaky', flaky],
  ]);
  await addEdge(cloudFrontEdge(distribution), 'hash');
  token = await tokenOf(run.api, run.username, run.password);
});
afterAll(async () => {
  await run.end();
  await environments.terminate();
  for (const edge of Object.values(edges)) await edge.stop();
  await cloudfront.stop();
});

function noteServed(name: string, code: Version, event: unknown, value: unknown): void {
  if (name === acceptor) {
    const { data } = JSON.parse((value as { body: string }).body);
    if (data) acceptedBy.set(data.purgeId, code);
  }
  if (name !== consumer) return;
  const left = (value as SQSBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  for (const { messageId, body } of (event as SQSEvent).Records) {
    const { purge, purges } = JSON.parse(body);
    if (!left.includes(messageId)) consumedBy.set((purge ?? purges[0]).id, code);
  }
}

function note(what: string, response: ApiResponse, status = 200): ApiResponse {
  requests += 1;
  if (response.status !== status) refused.push(`${what}: ${response.status} ${response.envelope.message}`);
  return response;
}

type Header = readonly [name: string, value: string];

/** By key or token, and some twice with one Idempotency-Key, as after a response that was lost. */
async function purge(url: string, number: number): Promise<void> {
  const isRepeated = number % 10 === 0;
  const credential: Header =
    number % 3 === 0 ? ['Authorization', `Bearer ${token}`] : ['X-API-Key', run.apiKey];
  const headers: Header[] = isRepeated ? [credential, ['Idempotency-Key', newId()]] : [credential];
  const send = () => run.api.send(path, { method: 'POST', headers, body: { type: 'url', urls: [url] } });
  const { status, data } = note('purge', await send());
  if (status === 200) acknowledged.set(data.purgeId, url);
  if (!isRepeated) return;
  const again = note('purge again', await send());
  expect([again.data.purgeId, again.headers['idempotent-replay']]).toEqual([data.purgeId, 'true']);
}

/** What a panel does meanwhile; the paths in another spelling go through the fallback. */
async function browse(id: string, number: number): Promise<void> {
  if (number % 4 !== 0) return;
  const property = `/api/property/${run.propertyId}`;
  const paths = [`${path}/${id}`, `${path}?pageSize=5`, property, '/API/Account/', '/api/statistics'];
  const found = paths[(number / 4) % paths.length] ?? property;
  note(found, await (number % 8 === 0 ? run.api : withToken(run.api, token)).get(found));
  if (number % 40 !== 0) return;
  const input = { name: 'Release', conditions: [], actions: [{ type: 'forceHttps' }] };
  const rule = note('rule', await run.api.post(`${property}/rules`, input), 201);
  note('rule read', await run.api.get(`${property}/rules/${rule.data.id}`));
  note('rule test', await run.api.post(`${property}/rules/test`, { url: `http://${run.hostname}/` }));
}

/** Halfway the first function is updated and the last is not: what the one sends is brought by the other's version. */
async function release(target: Version): Promise<void> {
  rollout.begin(target);
  const numbers = Array.from({ length: purgesEachWay }, (_, number) => number);
  await ask(numbers.slice(0, purgesEachWay / 2), target);
  await untilConsumed();
  flaky.mood = () => 'well';
  await catchUpNow(run, 'flaky');
  await ask(numbers.slice(purgesEachWay / 2), target);
  rollout.progress = 1;
  await untilAllDone();
}

async function ask(numbers: readonly number[], target: Version): Promise<void> {
  await inParallel(numbers, atOnce, async (number) => {
    const progress = number / purgesEachWay;
    rollout.progress = progress;
    if (progress > 0.2 && progress < 0.5) flaky.mood = () => 'error';
    // While those who send it are updated, and those who read it are not; after a rollback nobody could read it.
    const isNewForm = target === 'new' && progress >= 0.5 && progress < 0.55;
    await purge(`${isNewForm ? newFormPath : '/'}${target}/${number}`, number);
    await browse([...acknowledged.keys()].at(-1) ?? '', number);
  });
}

async function untilConsumed(): Promise<void> {
  await eventually(
    async () => [...acknowledged.keys()].filter((id) => !consumedBy.has(id)),
    (waiting) => waiting.length === 0,
    longestMilliseconds,
  );
}

async function untilAllDone(): Promise<void> {
  const schedule = setInterval(() => void callSchedule(run), 2_000);
  const purges = new PurgeClient(run.api, run.propertyId);
  await untilConsumed();
  await purges
    .untilAllAre([...acknowledged.keys()], 'completed', longestMilliseconds)
    .finally(() => clearInterval(schedule));
}

async function deadLetters(): Promise<number> {
  const names = namesOf(queues).map((name) => physicalDeadLetterQueueName('CdnManagement', name));
  const depths = await Promise.all(names.map(queueDepth));
  return depths.reduce((sum, { waiting }) => sum + waiting, 0);
}

function isOnEveryEdge(url: string): boolean {
  const isPurged = ({ purged }: RecordingEdge) =>
    purged.has(urlKey(run.hostname, url)) || purged.has(hostKey(run.hostname));
  const isInvalidated = cloudfront.invalidations.some(
    ({ paths }) => paths.includes(url) || paths.includes('/*'),
  );
  return Object.values(edges).every(isPurged) && isInvalidated;
}

function countOf(accepted: Version, consumed: Version): number {
  return [...acknowledged.keys()].filter(
    (id) => acceptedBy.get(id) === accepted && consumedBy.get(id) === consumed,
  ).length;
}

test('a release and its rollback, function by function under load: nothing is refused, lost or dead-lettered', async () => {
  await release('new');
  await release('old');
  const lost = [...acknowledged.values()].filter((url) => !isOnEveryEdge(url));
  const counts = {
    'purges asked': purgesEachWay * 2,
    acknowledged: acknowledged.size,
    'accepted and brought by the old version': countOf('old', 'old'),
    'accepted by the old, brought by the new': countOf('old', 'new'),
    'accepted by the new, brought by the old': countOf('new', 'old'),
    'accepted and brought by the new version': countOf('new', 'new'),
    'requests in all': requests,
    refused: refused.length,
    'denied by a role': run.aws.denied.length,
    lost: lost.length,
    'dead-lettered': await deadLetters(),
  };
  console.table(counts);
  console.log([...new Set([...refused, ...run.aws.denied])].slice(0, 20).join('\n'));
  expect(counts).toMatchObject({ acknowledged: purgesEachWay * 2, refused: 0, lost: 0, 'dead-lettered': 0 });
  for (const accepted of ['old', 'new'] as const)
    for (const consumed of ['old', 'new'] as const) expect(countOf(accepted, consumed)).toBeGreaterThan(0);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExecutionEnvironment } from '../../infra/local/lambda/execution-environment.ts';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import type { Purge } from '../../shared/purge/purge-record.ts';
import type { AwsFault } from '../support/aws-proxy.ts';
import { callSchedule, endDelay } from '../support/catch-up.ts';
import { cloudFrontEdge, startCloudFrontRun } from '../support/cloudfront-run.ts';
import { eventually } from '../support/eventually.ts';
import { FakeCloudFront } from '../support/fake-cloudfront.ts';
import { KilledEnvironment, type Killer } from '../support/killed-environment.ts';
import { RecordingEdge, serveByEdges } from '../support/recording-edge.ts';
import type { TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

const purgeCount = volume(24, 200);
/** Few messages at a time make many events, each of which can be killed. */
const betweenPurgesMilliseconds = 120;
/** A message that was in many killed hands is put off by a minute when it meets a fault, a claim lasts 90 seconds. */
const longestRetryMilliseconds = 150_000;
const killed = [
  'CdnManagement-purge-consumer',
  'CdnManagement-catch-up',
  'CdnManagement-invalidation-consumer',
];

/** Lets every other event live, and walks the places of death of the others evenly over a whole event. */
class EvenKiller implements Killer {
  readonly places: number[] = [];
  events = 0;
  calm = false;
  private latest = 50;

  next(): number {
    this.events += 1;
    if (this.calm || this.events % 2 === 0) return 0;
    // The golden ratio's multiples spread evenly, however many there will be.
    return 1 + Math.floor(((this.events * 0.618034) % 1) * this.latest);
  }

  lived(awaits: number): void {
    this.latest = awaits;
  }

  died(place: number): void {
    this.places.push(place);
  }
}

const killer = new EvenKiller();
const [shield, steady, flaky] = [new RecordingEdge(), new RecordingEdge(), new RecordingEdge()];
const edges = { shield, steady, flaky };
const cloudfront = new FakeCloudFront();
const distribution = 'E2QWRUHAPOMQZL';
let run: TestRun;
let path: string;
let faults = 0;

const faultKinds: readonly AwsFault[] = [
  'refuse',
  { type: 'InternalServerError', status: 500 },
  { type: 'ProvisionedThroughputExceededException' },
  { type: 'TransactionConflictException' },
];

function randomFault(operation: string): AwsFault | undefined {
  if (!/^(dynamodb|sqs):/.test(operation) || Math.random() > 0.1) return undefined;
  faults += 1;
  if (operation === 'dynamodb:TransactWriteItems') return 'conflict';
  return faultKinds[Math.floor(Math.random() * faultKinds.length)];
}

beforeAll(async () => {
  run = await startCloudFrontRun(cloudfront, distribution, {
    makeEnvironment: (source, log) =>
      killed.includes(source.name)
        ? new KilledEnvironment(source, killer)
        : new ExecutionEnvironment(source, log),
  });
  path = `/api/property/${run.propertyId}/purge`;
  await serveByEdges([
    ['shield', shield, 'shield'],
    ['steady', steady],
    ['flaky', flaky],
  ]);
  await addEdge(cloudFrontEdge(distribution), 'hash');
  flaky.mood = () => (Math.random() < 0.3 ? 'error' : 'well');
  shield.mood = () => (Math.random() < 0.05 ? 'refusing' : 'well');
});
afterAll(async () => {
  await run.end();
  for (const edge of Object.values(edges)) await edge.stop();
  await cloudfront.stop();
});

interface Asked {
  readonly url: string;
  /** Undefined where the API did not acknowledge it. */
  readonly id: string | undefined;
}

async function ask(number: number): Promise<Asked> {
  const url = `/chaos/${number}`;
  const { status, data } = await run.api.post(path, { type: 'url', urls: [url] });
  return { url, id: status === 200 ? data.purgeId : undefined };
}

async function read({ id }: Asked): Promise<Purge> {
  return (await run.api.get(`${path}/${id}`)).data;
}

async function catchUpSoon(): Promise<void> {
  await Promise.all(Object.keys(edges).map(endDelay));
  await callSchedule(run);
}

async function catchUpAgainAndAgain(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await catchUpSoon();
    await sleep(2_000, undefined, { signal: over }).catch(() => undefined);
  }
}

test('killed at any await, every message twice, DynamoDB and SQS failing: nothing acknowledged is lost', async () => {
  run.aws.fault = randomFault;
  const asked: Asked[] = [];
  const acknowledged: Asked[] = [];
  while (asked.length < purgeCount || acknowledged.length <= purgeCount / 2) {
    const latest = await ask(asked.length);
    asked.push(latest);
    if (latest.id !== undefined) acknowledged.push(latest);
    await sleep(betweenPurgesMilliseconds);
  }
  run.aws.fault = () => undefined;
  killer.calm = true;
  for (const edge of Object.values(edges)) edge.mood = () => 'well';
  // In the place of once a minute, and of up to five minutes after so many attempts that failed.
  const over = new AbortController();
  const catchingUp = catchUpAgainAndAgain(over.signal);
  const ended: Purge[] = [];
  for (const each of acknowledged) {
    ended.push(
      await eventually(
        () => read(each),
        ({ status }) => status === 'completed' || status === 'failed',
        longestRetryMilliseconds,
      ),
    );
  }
  over.abort();
  await catchingUp;

  const keyOf = ({ url }: Asked): string => urlKey(run.hostname, url);
  /** When CloudFront was asked for it, or for everything. */
  const invalidated = ({ url }: Asked): readonly number[] =>
    cloudfront.invalidations
      .filter(({ paths }) => paths.includes(url) || paths.includes('/*'))
      .map(({ at }) => at);
  const isApplied = (each: Asked): boolean =>
    Object.values(edges).every(({ purged }) => purged.has(keyOf(each))) && invalidated(each).length > 0;
  const isFailed = ({ id }: Asked): boolean =>
    ended.some((purge) => purge.id === id && purge.status === 'failed');
  const lost = acknowledged.filter((each) => !isApplied(each) && !isFailed(each));
  const askedKeys = new Set(asked.map(keyOf));
  const askedUrls = new Set(asked.map(({ url }) => url));
  const neverAsked = [
    ...Object.values(edges).flatMap(({ purged }) => [...purged.keys()].filter((key) => !askedKeys.has(key))),
    ...cloudfront.invalidations.flatMap(({ paths }) => paths.filter((path) => !askedUrls.has(path))),
  ];
  const first = (edge: RecordingEdge, each: Asked): number => edge.purged.get(keyOf(each))?.at(0) ?? Infinity;
  const last = (edge: RecordingEdge, each: Asked): number => edge.purged.get(keyOf(each))?.at(-1) ?? 0;
  const outOfOrder = acknowledged.filter(
    (each) =>
      [steady, flaky].some((edge) => last(edge, each) < first(shield, each)) ||
      (invalidated(each).at(-1) ?? 0) < first(shield, each),
  );
  const twice = acknowledged.filter((each) => (steady.purged.get(keyOf(each))?.length ?? 0) > 1);
  console.log(
    `asked ${asked.length}, acknowledged ${acknowledged.length}, applied on every edge ${acknowledged.filter(isApplied).length}, shown as failed ${acknowledged.filter(isFailed).length}, lost ${lost.length}, applied but never asked for ${neverAsked.length}, edge before shield ${outOfOrder.length}; ${killer.events} events handled, ${killer.places.length} of them killed, at ${new Set(killer.places).size} different awaits from the ${Math.min(...killer.places)}th to the ${Math.max(...killer.places)}th, ${faults} faults of AWS, ${twice.length} purges applied more than once`,
  );
  expect(lost).toEqual([]);
  expect(neverAsked).toEqual([]);
  expect(outOfOrder).toEqual([]);
  expect(killer.places.length).toBeGreaterThan(purgeCount / 4);
  expect(faults).toBeGreaterThan(purgeCount / 4);
});

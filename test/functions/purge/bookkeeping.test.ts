import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApiKey } from '../../../shared/account/account-api-key-table.ts';
import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { namesOf } from '../../../shared/ground/names.ts';
import { readPurge } from '../../../shared/purge/read-purge.ts';
import { Meter } from '../../cost/meter.ts';
import { ApiClient } from '../../support/api-client.ts';
import type { AwsCall } from '../../support/aws-calls.ts';
import { catchUpNow, untilCurrent } from '../../support/catch-up.ts';
import { eventually } from '../../support/eventually.ts';
import { RecordingEdge, serveByEdges } from '../../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';

const edgeCount = 50;
const failingCount = 3;
const edges = Array.from({ length: edgeCount }, () => new RecordingEdge());
const failing = edges.slice(0, failingCount);

const meter = new Meter();

/** What one purge of one URL took on 50 edges when it was last looked at; `npm run cost` has the dollars. */
const mostOfPurge = { calls: 3, writeUnits: 4, readUnits: 5, sqsRequests: 3, logBytes: 205, others: 0 };

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await startTestRun({ makeEnvironment: meter.makeEnvironment });
  path = `/api/property/${run.propertyId}/purge`;
  await serveByEdges(edges.map((edge, index) => [`edge-${index}`, edge]));
});
afterAll(async () => {
  await run.end();
  await Promise.all(edges.map((edge) => edge.stop()));
});
beforeEach(() => {
  run.aws.calls.length = 0;
});

function urls(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/${'page'.repeat(20)}/${index}?number=${index}`);
}

async function purge(body: object): Promise<string> {
  return (await run.api.post(path, body)).data.purgeId;
}

async function untilAll(ids: readonly string[], status: string): Promise<void> {
  for (const id of ids) {
    await eventually(
      () => readPurge({ propertyId: run.propertyId, id }, new Date()),
      (found) => found?.status === status,
    );
    expect((await run.api.get(`${path}/${id}`)).data.status).toBe(status);
  }
}

function writesTo(...tables: readonly string[]): readonly AwsCall[] {
  return run.aws.calls.filter(
    ({ operation, table }) =>
      /Put|Update|Delete|Transact|BatchWrite/.test(operation) &&
      tables.some((name) => table === `CdnManagement-${name}`),
  );
}

/** Everything but the one write of the content, which is as large as what is purged. */
function bookkeeping(): readonly AwsCall[] {
  return writesTo('purges', 'purge-counts', 'hints');
}

test.each([
  ['one value', { type: 'url', urls: ['/'] }],
  ['1,000 values', { type: 'url', urls: urls(1_000) }],
])('a purge of %s on 50 edges is kept with at most 6 writes of at most 1 KB', async (_, body) => {
  await untilAll([await purge(body)], 'completed');
  // The database is ahead of those who count its calls.
  const writes = await eventually(
    async () => bookkeeping(),
    ({ length }) => length >= 3,
  );
  expect(writes.map(({ writeUnits }) => writeUnits)).toEqual(writes.map(() => 1));
  expect(writes.length).toBeGreaterThanOrEqual(3);
  expect(writes.length).toBeLessThanOrEqual(6);
  expect(writesTo('edges')).toEqual([]);
});

/** From the authorizer to the last edge, with a key that was not used in this second. */
async function countPurge(): Promise<typeof mostOfPurge> {
  const { key } = await createApiKey(run.accountId, 'Counted');
  run.aws.calls.length = 0;
  meter.reset();
  const { data } = await new ApiClient(run.baseUrl, key).post(path, { type: 'url', urls: ['/counted'] });
  const isOfPurge = (name: string): boolean =>
    ['authorizer', 'purge-create', 'purge-consumer'].includes(name);
  const elsewhere = { edgeRequests: 0, edgeBytes: 0, logLines: 0, invalidationPaths: 0, storedBytes: 0 };
  const usage = await eventually(
    async () => meter.usage(run.aws.calls, isOfPurge, elsewhere),
    // The consumer writes its line at its end.
    ({ logBytes }) => logBytes > 0 && meter.isIdle,
  );
  const { writeUnits, readUnits, sqsRequests, logBytes, kmsRequests, secretRequests } = usage;
  const calls = Object.values(usage.functions).reduce((sum, each) => sum + each.calls, 0);
  expect((await readPurge({ propertyId: run.propertyId, id: data.purgeId }, new Date()))?.status).toBe(
    'completed',
  );
  return { calls, writeUnits, readUnits, sqsRequests, logBytes, others: kmsRequests + secretRequests };
}

test('a purge takes no more calls, units and bytes of log than when its cost was last looked at', async () => {
  const counted = [];
  // The least of some: an edge that is slow, because the machine is, costs a write more.
  for (let round = 0; round < 5; round += 1) counted.push(await countPurge());
  for (const name of namesOf(mostOfPurge)) {
    const least = Math.min(...counted.map((each) => each[name]));
    expect.soft(least, name).toBeLessThanOrEqual(mostOfPurge[name]);
  }
});

test('an edge that failed costs at most 2 more, and its own state a few writes for the whole outage', async () => {
  for (const edge of failing) edge.mood = () => 'refusing';
  const first = await purge({ type: 'url', urls: urls(500) });
  await untilAll([first], 'running');
  const others = [];
  for (let number = 0; number < 20; number += 1)
    others.push(await purge({ type: 'url', urls: [`/${number}`] }));
  await untilAll(others, 'running');
  for (const edge of failing) edge.mood = () => 'well';
  await untilAll([first, ...others], 'completed');
  const purges = 1 + others.length;
  const writes = bookkeeping();
  // Another edge that is caught up at the same time may have got ahead: then a write is refused, and repeated.
  const count = writes.filter(({ writeUnits }) => writeUnits > 0).length;
  console.log(
    `${purges} purges, ${failingCount} of ${edgeCount} edges failed: ${count} writes, ${(count / purges).toFixed(1)} a purge, and ${writes.length - count} refused; ${writesTo('edges').length} writes of the edges' state`,
  );
  expect(Math.max(...writes.map(({ writeUnits }) => writeUnits))).toBe(1);
  expect(count).toBeLessThanOrEqual(purges * (6 + 2 * failingCount));
  expect(writes.length - count).toBeLessThanOrEqual(purges * failingCount * (failingCount - 1));
  expect(writesTo('edges').length).toBeLessThan(20 * failingCount);
});

test('a shield that was away with 10 edges below it costs no more writes than an edge', async () => {
  const shield = await new RecordingEdge().start();
  for (let index = 10; index < edgeCount; index += 1) await removeEdge(`edge-${index}`);
  const secret = 's'.repeat(32);
  await addEdge({ id: 'shield', driver: 'varnish', tier: 'shield', url: shield.url, secret }, 'hash');
  run.aws.calls.length = 0;
  shield.mood = () => 'refusing';
  const id = await purge({ type: 'url', urls: ['/tiers'] });
  await untilAll([id], 'running');
  shield.mood = () => 'well';
  await catchUpNow(run, 'shield');
  await untilAll([id], 'completed');
  await untilCurrent('shield');
  const [ofPurge, ofState] = [bookkeeping(), writesTo('edges')];
  console.log(
    `a shield with 10 edges below it: ${ofPurge.length} writes of the purge and its hint, ${ofState.length} of the shield's state`,
  );
  expect(Math.max(...ofPurge.map(({ writeUnits }) => writeUnits))).toBe(1);
  expect(ofPurge.length).toBeLessThanOrEqual(8);
  expect(ofState.length).toBeLessThan(20);
  await removeEdge('shield');
  await shield.stop();
});

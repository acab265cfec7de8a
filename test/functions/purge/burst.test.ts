import { afterAll, beforeAll, expect, test } from 'vitest';
import { urlKey } from '../../../shared/edge/cache-keys.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import type { Purge } from '../../../shared/purge/purge-record.ts';
import { eventually } from '../../support/eventually.ts';
import { RecordingEdge, serveByEdges } from '../../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';

const burstSize = 400;
const differentUrls = 4;
const atOnce = 40;

const edge = new RecordingEdge();
let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await startTestRun();
  path = `/api/property/${run.propertyId}/purge`;
  await serveByEdges([['only', edge]]);
});
afterAll(async () => {
  await run.end();
  await edge.stop();
});

async function read(id: string): Promise<Purge> {
  return (await run.api.get(`${path}/${id}`)).data;
}

/** Its own honest completion: the edge purged the URL after this very purge was asked for. */
function expectHonest(purge: Purge): void {
  const key = urlKey(run.hostname, purge.values[0] ?? '');
  const latest = edge.purged.get(key)?.at(-1) ?? 0;
  expect([purge.status, latest >= Date.parse(purge.createdAt)]).toEqual(['completed', true]);
}

test('equal purges that wait are done as one, and each has its own honest completion', async () => {
  run.aws.fault = (operation, _, functionName) =>
    operation === 'dynamodb:Query' && functionName === 'CdnManagement-purge-consumer' ? 'refuse' : undefined;
  const numbers = Array.from({ length: burstSize }, (_, number) => number);
  const responses = await inParallel(numbers, atOnce, (number) =>
    run.api.post(path, { type: 'url', urls: [`/burst/${number % differentUrls}`] }),
  );
  run.aws.fault = () => undefined;
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  const ids = responses.map(({ data }) => data.purgeId as string);
  expect(new Set(ids).size).toBe(burstSize);
  await eventually(
    async () => (await run.api.get(`${path}?status=completed`)).envelope.totalRecords,
    (count) => count === burstSize,
    60_000,
  );
  for (const purge of await inParallel(ids, 10, read)) expectHonest(purge);
  console.log(`${burstSize} purges of ${differentUrls} URLs: ${edge.requests} requests to the edge`);
  expect(edge.requests).toBeLessThan(burstSize / 4);
}, 120_000);

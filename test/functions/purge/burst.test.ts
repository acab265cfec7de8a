import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExecutionEnvironment } from '../../../infra/local/lambda/execution-environment.ts';
import { urlKey } from '../../../shared/edge/cache-keys.ts';
import { inParallel } from '../../../shared/ground/parallel.ts';
import type { Purge } from '../../../shared/purge/purge-record.ts';
import { PurgeClient } from '../../support/purge-client.ts';
import { RecordingEdge, serveByEdges } from '../../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

const burstSize = volume(120, 400);
const differentUrls = 4;
const atOnce = volume(4, 40);
/** As the clocks of two functions may lie apart, what an edge did sooner after a purge is not taken for its own. */
const clockToleranceMilliseconds = 1_000;

const edge = new RecordingEdge();
const opened = Promise.withResolvers<void>();
let run: TestRun;
let purges: PurgeClient;

/** A consumer whose messages wait until all purges of the burst do. */
class HeldEnvironment extends ExecutionEnvironment {
  override async invoke(event: unknown): Promise<unknown> {
    await opened.promise;
    return super.invoke(event);
  }
}

beforeAll(async () => {
  run = await startTestRun({
    makeEnvironment: (source, log) =>
      source.name === 'CdnManagement-purge-consumer'
        ? new HeldEnvironment(source, log)
        : new ExecutionEnvironment(source, log),
  });
  purges = new PurgeClient(run.api, run.propertyId);
  await serveByEdges([['only', edge]]);
});
afterAll(async () => {
  await run.end();
  await edge.stop();
});

/** Its own honest completion: the edge purged the URL after this very purge was asked for. */
function expectHonest(purge: Purge): void {
  const key = urlKey(run.hostname, purge.values[0] ?? '');
  const latest = edge.purged.get(key)?.at(-1) ?? 0;
  expect([purge.status, latest >= Date.parse(purge.createdAt)]).toEqual(['completed', true]);
}

test('equal purges that wait are done as one, and each has its own honest completion', async () => {
  const numbers = Array.from({ length: burstSize }, (_, number) => number);
  const ids = await inParallel(numbers, atOnce, (number) =>
    purges.send({ type: 'url', urls: [`/burst/${number % differentUrls}`] }),
  );
  await sleep(clockToleranceMilliseconds);
  opened.resolve();
  expect(new Set(ids).size).toBe(burstSize);
  await purges.untilAllAre(ids, 'completed');
  for (const purge of await inParallel(ids, 2, (id) => purges.get(id))) expectHonest(purge);
  console.log(`${burstSize} purges of ${differentUrls} URLs: ${edge.requests} requests to the edge`);
  expect(edge.requests).toBeLessThan(burstSize / 4);
});

import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { inParallel } from '../../shared/ground/parallel.ts';
import { describeNode } from '../infra/edge/support/node-kit.ts';
import { ShippingBench } from '../infra/edge/support/shipping-bench.ts';
import { makeEdge, makeSite } from '../support/edge-log.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { IngestedLogs } from './support/logs/ingested-logs.ts';
import { blank, onceAndWhole, plan } from './support/logs/log-batches.ts';
import { logLine } from './support/logs/log-lines.ts';
import { LogModel } from './support/logs/log-model.ts';
import { playHistory } from './support/logs/shipped-history.ts';
import { SpooledLog } from './support/logs/spooled-log.ts';
import { visitThroughTrouble } from './support/logs/visited-kit.ts';
import { drawn } from './support/seed.ts';
import { Tally } from './support/tally.ts';

const atOnce = 8;
const maximumLines = 50_000;
let run: TestRun;

beforeAll(async () => {
  run = await startTestRun();
});
afterAll(() => run.end());

async function scenery() {
  const sites = await Promise.all([1, 2, 3].map(() => makeSite(run.api)));
  const scene = { hosts: sites.map(({ host }) => host), now: Math.floor(Date.now() / 1000) };
  return { sites, scene, model: new LogModel(sites) };
}

test('batches of every shape: what the API said it counted is what it shows', async (context) => {
  const tally = new Tally('logs');
  const { scene, model } = await scenery();
  const logs = new IngestedLogs(run, await makeEdge('trust-batches'), model, tally);
  const plans = fc.sample(plan, drawn(volume(25, 1_000)));
  logs.failNowAndThen();
  await inParallel([...plans.entries()], atOnce, ([number, each]) => logs.try(number, each, scene));
  run.aws.fault = () => undefined;
  await model.compare(run.api, tally);
  tally.end(context);
});

if (volume(0, 1) === 1) {
  test('as many lines as a batch may have', async (context) => {
    const tally = new Tally('logs');
    const { scene, model } = await scenery();
    const logs = new IngestedLogs(run, await makeEdge('trust-large'), model, tally);
    const short = fc.sample(logLine, drawn(2_000)).filter((makeLine) => makeLine(scene).text.length < 600);
    const makeLines = Array.from(
      { length: maximumLines },
      (_, index) => short.slice(index % short.length)[0] ?? blank,
    );
    await logs.try(0, { ...onceAndWhole, makeLines }, scene);
    await model.compare(run.api, tally);
    tally.end(context);
  });
}

test.concurrent('a log of anything, shipped through kills, lost responses and an API that is away', async (context) => {
  const tally = new Tally('logs');
  const { scene, model } = await scenery();
  const log = new SpooledLog(run.baseUrl, await makeEdge('trust-spool'));
  await playHistory(log, volume(8, 250), scene, model, tally);
  await model.compare(run.api, tally);
  await log.stop();
  tally.end(context);
});

describeNode('The edge node', () => {
  let bench: ShippingBench;
  beforeAll(async () => {
    bench = await ShippingBench.start(run, atOnce);
  });
  afterAll(() => bench.stop());

  test.concurrent('whatever visitors write into its log, each request counts once, for its host', async (context) => {
    const tally = new Tally('logs');
    const { sites, scene } = await scenery();
    const requests = await visitThroughTrouble(bench, scene.hosts, volume(6, 150), tally);
    for (const { id, host } of sites) {
      const { data } = await run.api.get(`/api/property/${id}/statistics`);
      const missing = (requests.get(host) ?? 0) - data.totals.requests;
      if (missing !== 0) tally.found(missing > 0 ? 'lost' : 'doubled', `${missing} requests of ${host}`);
    }
    tally.end(context);
  });
});

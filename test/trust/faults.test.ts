import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionSources } from '../../infra/definition/functions.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
import { namesOf } from '../../shared/ground/names.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { type CallFaultName, CallFaults, callFaults, quickFaults } from './support/call-faults.ts';
import { drawnFrom } from './support/drawn-from.ts';
import { exampleNames } from './support/example-request.ts';
import { type Bench, cleanOutcome, faultedRequest, type Subject } from './support/faulted-request.ts';
import { MortalEnvironments } from './support/mortal-environment.ts';
import { Tally } from './support/tally.ts';

/** Requests to as many functions are under way at a time. */
const lanes = 6;
const isAll = volume(0, 1) === 1;
const subjectsInPart = 8;
const faultsInPart = 3;
/** At each call of an endpoint's first example every fault is tried, of its others so many. */
const faultsOfOthers = 3;

const environments = new MortalEnvironments();
const edge = new RecordingEdge();
const edgeToken = newEdgeToken();
let run: TestRun;

beforeAll(async () => {
  run = await startTestRun({ makeEnvironment: environments.make });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  await edge.start();
  const secret = 's'.repeat(32);
  await addEdge(
    { id: 'faults', driver: 'varnish', tier: 'edge', url: edge.url, secret },
    hashEdgeToken(edgeToken),
  );
}, 60_000);
afterAll(async () => {
  await run.end();
  await edge.stop();
});

const all: readonly Subject[] = functionSources.flatMap(({ name, endpoint }) =>
  endpoint
    ? exampleNames(endpoint).map((example) => ({ endpoint, example, functionName: `CdnManagement-${name}` }))
    : [],
);

/** In part of the tests, so many that change something, in all of them every one. */
const subjects = isAll
  ? all
  : drawnFrom(
      all.filter(({ endpoint }) => endpoint.method !== 'GET'),
      subjectsInPart,
    );

/** What is read once by each environment is read again for each request. */
for (const { name, declaration, endpoint } of functionSources)
  if (endpoint && declaration.touches.secrets) environments.fresh.add(`CdnManagement-${name}`);

test('whatever happens to a call of AWS: nothing acknowledged is lost, nothing is done twice, and it passes', async (context) => {
  const tally = new Tally('faults');
  const bench: Bench = {
    baseUrl: run.baseUrl,
    edgeToken,
    tally,
    worlds: new Map(),
    faults: new CallFaults(run.aws, environments),
  };
  const byFunction = Map.groupBy(subjects, ({ functionName }) => functionName);
  await inParallel([...byFunction.values()], lanes, async (examples) => {
    for (const subject of examples) await tryFaults(bench, subject);
  });
  tally.end(context);
}, 900_000);

async function tryFaults(bench: Bench, subject: Subject): Promise<void> {
  const clean = await cleanOutcome(bench, subject);
  const { functionName, example } = subject;
  expect([functionName, example, clean.statuses[0]]).toEqual([
    functionName,
    example,
    expect.toBeOneOf([200, 201]),
  ]);
  const isFirst = example === exampleNames(subject.endpoint)[0];
  const faults = faultsOf(clean.calls, isAll ? namesOf(callFaults) : quickFaults);
  const count = isAll ? clean.calls * faultsOfOthers : faultsInPart;
  for (const [place, name] of isAll && isFirst ? faults : drawnFrom(faults, count))
    await faultedRequest(bench, subject, clean, place, name);
}

function faultsOf(
  calls: number,
  names: readonly CallFaultName[],
): readonly (readonly [place: number, name: CallFaultName])[] {
  const places = Array.from({ length: calls }, (_, index) => index + 1);
  return places.flatMap((place) => names.map((name) => [place, name] as const));
}

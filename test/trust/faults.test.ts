import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { functionSources } from '../../infra/definition/functions.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../shared/edge/edge-token.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import { RecordingEdge } from '../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { faultsOf } from './support/faults/call-fault-kinds.ts';
import { CallFaults } from './support/faults/call-faults.ts';
import { exampleNames } from './support/faults/example-request.ts';
import {
  type Bench,
  cleanOutcome,
  faultedRequest,
  type Subject,
  writtenBy,
} from './support/faults/faulted-request.ts';
import type { Outcome } from './support/faults/judge-outcome.ts';
import { awaitMishap, callMishap, type Mishap } from './support/faults/mishap.ts';
import { MortalEnvironments } from './support/faults/mortal-environments.ts';
import { isAll, shareOf } from './support/share.ts';
import { Tally } from './support/tally.ts';

/** Requests to as many functions are under way at a time. */
const lanes = 6;

const environments = new MortalEnvironments();
const edge = new RecordingEdge();
const edgeToken = newEdgeToken();
let run: TestRun;
let bench: Bench;

beforeAll(async () => {
  run = await startTestRun({ makeEnvironment: environments.make });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  await edge.start();
  const secret = 's'.repeat(32);
  await addEdge(
    { id: 'faults', driver: 'varnish', tier: 'edge', url: edge.url, secret },
    hashEdgeToken(edgeToken),
  );
});
beforeEach(() => {
  const faults = new CallFaults(run.aws, environments);
  bench = { baseUrl: run.baseUrl, edgeToken, faults, tally: new Tally('faults'), worlds: new Map() };
});
afterEach((context) => bench.tally.end(context));
afterAll(async () => {
  await run.end();
  await edge.stop();
});

const subjects: readonly Subject[] = functionSources.flatMap(({ name, endpoint }) =>
  endpoint
    ? exampleNames(endpoint).map((example) => ({ endpoint, example, functionName: `CdnManagement-${name}` }))
    : [],
);

/** What is read once by each environment is read again for each request. */
for (const { name, declaration, endpoint } of functionSources)
  if (endpoint && Object.keys(declaration.touches.secrets ?? {}).length > 0)
    environments.fresh.add(`CdnManagement-${name}`);

/** Tries each of the subjects, those of one function one after another. */
async function tryAll(
  tried: readonly Subject[],
  mishapsOf: (subject: Subject, clean: Outcome) => readonly Mishap[],
): Promise<void> {
  const byFunction = Map.groupBy(tried, ({ functionName }) => functionName);
  await inParallel([...byFunction.values()], lanes, async (examples) => {
    for (const subject of examples) {
      const clean = await cleanOutcome(bench, subject);
      expect([subject, clean.statuses[0]]).toEqual([subject, expect.toBeOneOf([200, 201])]);
      for (const mishap of mishapsOf(subject, clean)) await faultedRequest(bench, subject, clean, mishap);
    }
  });
}

test('whatever happens to a call of AWS: nothing acknowledged is lost, nothing is done twice, and it passes', async () => {
  const changing = subjects.filter(({ endpoint }) => endpoint.method !== 'GET');
  const tried = isAll ? subjects : shareOf(changing, 3, 0);
  await tryAll(tried, ({ functionName }, { calls }) => {
    const faults = faultsOf(
      calls,
      tried.findIndex((each) => each.functionName === functionName),
      isAll,
    );
    return shareOf(faults, 2, 8).map(([place, name]) => callMishap(bench.faults, functionName, place, name));
  });
}, 900_000);

/** What must not happen twice, nor be half done. */
const guarded = ['users', 'apiKeys', 'purges'] as const;

test('killed at any await of what changes credentials, keys and purges: the same', async () => {
  const changing = subjects.filter(({ endpoint }) => guarded.some((name) => writtenBy(endpoint).has(name)));
  await tryAll(shareOf(changing, 2, changing.length), ({ functionName }, { awaits }) => {
    const places = Array.from({ length: awaits }, (_, index) => index + 1);
    return shareOf(places, 2, 8).map((place) => awaitMishap(bench.faults, functionName, place));
  });
}, 900_000);

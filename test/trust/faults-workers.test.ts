import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { namesOf } from '../../shared/ground/names.ts';
import { ApiClient, type ApiResponse } from '../support/api-client.ts';
import { callSchedule } from '../support/catch-up.ts';
import { withToken } from '../support/identity.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { RecordingEdge, serveByEdges } from '../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { type CallFaultName, CallFaults, callFaults, quickFaults } from './support/call-faults.ts';
import { drawnFrom } from './support/drawn-from.ts';
import { judgeResponse } from './support/judge-outcome.ts';
import { MortalEnvironments } from './support/mortal-environment.ts';
import { Tally } from './support/tally.ts';
import { makeWorld } from './support/world.ts';

const isAll = volume(0, 1) === 1;
const environments = new MortalEnvironments();
const edge = new RecordingEdge();
const names = isAll ? namesOf(callFaults) : drawnFrom(quickFaults, 2);
/** Places of calls that are tried. */
const mostPlaces = volume(1, 20);
const workerFaults = volume(1, 3);
let run: TestRun;
let faults: CallFaults;
let tally: Tally;

beforeAll(async () => {
  for (const name of ['authorizer', 'fallback']) environments.fresh.add(`CdnManagement-${name}`);
  run = await startTestRun({ makeEnvironment: environments.make });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
  await serveByEdges([['steady', edge]]);
  faults = new CallFaults(run.aws, environments);
});
beforeEach(() => {
  tally = new Tally('faults');
});
afterEach((context) => tally.end(context));
afterAll(async () => {
  await run.end();
  await edge.stop();
});

/** How many calls a function makes of AWS in the meantime. */
async function callsOf(functionName: string, act: () => Promise<unknown>): Promise<number> {
  const lane = faults.begin(functionName);
  await act();
  faults.end(functionName);
  return Math.min(lane.places.size, mostPlaces);
}

const ways = [
  ['authorizer', 'key', '/api/account'],
  ['authorizer', 'token', '/api/account'],
  ['fallback', 'key', '/API/Account'],
  ['fallback', 'token', '/API/Account'],
] as const;

test.each(ways)(
  'the %s with a %s: a fault at any call is 503 or nothing, and passes',
  async (name, scheme, path) => {
    const functionName = `CdnManagement-${name}`;
    const world = await makeWorld();
    const api = new ApiClient(run.baseUrl, world.apiKey);
    const send = (): Promise<ApiResponse> =>
      scheme === 'key' ? api.get(path) : withToken(api, world.token).get(path);
    const calls = await callsOf(functionName, send);
    for (let place = 1; place <= calls; place += 1)
      for (const fault of names) {
        const lane = faults.begin(functionName, { place, kind: callFaults[fault] });
        const response = await send();
        faults.end(functionName);
        if (!lane.isHit) continue;
        tally.tried();
        const what = `${name} with a ${scheme}, call ${place} ${fault}`;
        // Another function is invoked once: a second try could do the work twice.
        const isInvoked = name === 'fallback' && place === calls;
        const kind = { ...callFaults[fault], ...(isInvoked && { isHarmless: undefined }) };
        judgeResponse(tally, what, response, kind, fault.startsWith('killed'), 200);
        const again = await send();
        if (again.status !== 200) tally.found('stuck', `${what}: ${again.status} afterwards`);
      }
  },
  300_000,
);

const lasting = [
  'done, and each response lost',
  'refused',
  'killed after it',
] as const satisfies CallFaultName[];

test('a purge is done whatever happens to a call of its consumer', async () => {
  const functionName = 'CdnManagement-purge-consumer';
  const purges = new PurgeClient(run.api, run.propertyId);
  const purge = async (url: string) =>
    purges.untilIs(await purges.send({ type: 'url', urls: [url] }), 'completed');
  const calls = await callsOf(functionName, () => purge('/clean'));
  for (let place = 1; place <= calls; place += 1)
    for (const name of lasting.slice(0, workerFaults)) {
      const url = `/${place}/${name.replaceAll(/\W/g, '-')}`;
      const lane = faults.begin(functionName, { place, kind: callFaults[name] });
      tally.tried();
      const ended = await purge(url).catch((error: unknown) => String(error));
      faults.end(functionName);
      const what = `purge-consumer, call ${place} ${name}`;
      if (typeof ended === 'string') tally.found('stuck', `${what}: ${ended}`);
      else if (!edge.purged.has(urlKey(run.hostname, url))) tally.found('lost', what);
      expect(lane.places.size).toBeGreaterThan(0);
    }
}, 600_000);

test('a schedule that fails at any call is called again and works', async () => {
  const functionName = 'CdnManagement-catch-up-schedule';
  const calls = await callsOf(functionName, () => callSchedule(run));
  for (let place = 1; place <= calls; place += 1)
    for (const name of lasting.slice(0, workerFaults)) {
      faults.begin(functionName, { place, kind: callFaults[name] });
      tally.tried();
      await callSchedule(run).catch(() => undefined);
      faults.end(functionName);
      await callSchedule(run).catch((error: unknown) =>
        tally.found('stuck', `${name} at ${place}: ${error}`),
      );
    }
}, 300_000);

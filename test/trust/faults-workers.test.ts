import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import { ApiClient, type ApiResponse } from '../support/api-client.ts';
import { callSchedule } from '../support/catch-up.ts';
import { withToken } from '../support/identity.ts';
import { PurgeClient } from '../support/purge-client.ts';
import { RecordingEdge, serveByEdges } from '../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { callFaults, faultsOf, lastingOf } from './support/faults/call-fault-kinds.ts';
import { CallFaults } from './support/faults/call-faults.ts';
import { judgeResponse } from './support/faults/judge-outcome.ts';
import { callMishap } from './support/faults/mishap.ts';
import { MortalEnvironments } from './support/faults/mortal-environments.ts';
import { makeWorld } from './support/faults/world.ts';
import { isAll, shareOf } from './support/share.ts';
import { Tally } from './support/tally.ts';

const environments = new MortalEnvironments();
const edge = new RecordingEdge();
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

const ways = [
  ['authorizer', 'key', '/api/account'],
  ['authorizer', 'token', '/api/account'],
  ['fallback', 'token', '/API/Account'],
  ['fallback', 'key', '/API/Account'],
] as const;

test.each(shareOf(ways, 2, ways.length))(
  'the %s with a %s: a fault at any call is 503 or nothing, and passes',
  async (name, scheme, path) => {
    const functionName = `CdnManagement-${name}`;
    const world = await makeWorld();
    const api = new ApiClient(run.baseUrl, world.apiKey);
    const send = (): Promise<ApiResponse> =>
      scheme === 'key' ? api.get(path) : withToken(api, world.token).get(path);
    const calls = await faults.callsOf(functionName, send);
    for (const [place, fault] of shareOf(faultsOf(calls, path.length, isAll), 1, 8)) {
      const mishap = callMishap(faults, functionName, place, fault);
      const { response, isHit } = await mishap.during(send);
      if (!isHit) continue;
      tally.tried();
      const what = `${name} with a ${scheme}, ${mishap.name}`;
      // Another function is invoked once: a second try could do the work twice.
      const isInvoked = name === 'fallback' && place === calls.length;
      judgeResponse(tally, what, response, { ...mishap, ...(isInvoked && { isHarmless: false }) }, 200);
      const again = await send();
      if (again.status !== 200) tally.found('stuck', `${what}: ${again.status} afterwards`);
    }
  },
);

test('a purge is done whatever happens to a call of its consumer', async () => {
  const functionName = 'CdnManagement-purge-consumer';
  const purges = new PurgeClient(run.api, run.propertyId);
  const purge = async (url: string) =>
    purges.untilIs(await purges.send({ type: 'url', urls: [url] }), 'completed');
  // The first one finds out more.
  await purge('/first');
  const calls = await faults.callsOf(functionName, () => purge('/clean'));
  for (const [place, name] of shareOf(lastingOf(calls), 1, 6)) {
    const url = `/${place}/${name.replaceAll(/\W/g, '-')}`;
    const lane = faults.begin(functionName, { place, kind: callFaults[name] });
    tally.tried();
    const ended = await purge(url).catch((error: unknown) => String(error));
    faults.end(functionName);
    const what = `purge-consumer, call ${place} ${name}`;
    if (typeof ended === 'string') tally.found('stuck', `${what}: ${ended}`);
    else if (!edge.purged.has(urlKey(run.hostname, url))) tally.found('lost', what);
    expect(lane.isHit).toBe(true);
  }
}, 600_000);

test('a schedule that fails at any call is called again and works', async () => {
  const functionName = 'CdnManagement-catch-up-schedule';
  const calls = await faults.callsOf(functionName, () => callSchedule(run));
  for (const [place, name] of shareOf(lastingOf(calls), 1, 6)) {
    faults.begin(functionName, { place, kind: callFaults[name] });
    tally.tried();
    await callSchedule(run).catch(() => undefined);
    faults.end(functionName);
    await callSchedule(run).catch((error: unknown) => tally.found('stuck', `${name} at ${place}: ${error}`));
  }
});

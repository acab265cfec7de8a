import { afterAll, afterEach, beforeAll, beforeEach, test } from 'vitest';
import { newId } from '../../shared/ground/id.ts';
import { ApiClient, type ApiResponse } from '../support/api-client.ts';
import { catchUpNow } from '../support/catch-up.ts';
import { makeEdge, makeSite, removeMadeEdges, sendLines, varnishLine } from '../support/edge-log.ts';
import { codeOf, verify, withToken } from '../support/identity.ts';
import { edgeOf, PurgeClient } from '../support/purge-client.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';
import { Clocks } from './support/clocked-environment.ts';
import { Tally } from './support/tally.ts';
import { makeWorld } from './support/world.ts';

const clocks = new Clocks();
const hour = 3_600_000;
let run: TestRun;
let tally: Tally;

beforeAll(async () => {
  run = await startTestRun({ makeEnvironment: clocks.make });
  process.env.ALLOW_PRIVATE_ORIGINS = 'true';
});
beforeEach(() => {
  tally = new Tally('faults');
});
afterEach(async (context) => {
  clocks.offsets.clear();
  await removeMadeEdges();
  tally.end(context);
});
afterAll(() => run.end());

/** Counts a response, and finds it wrong where its status is another one. */
function judge(what: string, { status, envelope }: ApiResponse, meant: number): void {
  tally.tried();
  if (status !== meant) tally.found('wrong', `${what}: ${status}, not ${meant}: ${envelope.message}`);
}

function setClock(name: string, offset: number): void {
  clocks.offsets.set(`CdnManagement-${name}`, offset);
}

/** One of them in part of the tests. */
const clocksOff = (
  [
    ['ahead', hour],
    ['behind', -hour],
  ] as const
).slice(0, volume(1, 2));

test.each(clocksOff)(
  'credentials, where a function is an hour %s',
  async (name, offset) => {
    const world = await makeWorld();
    const api = new ApiClient(run.baseUrl, world.apiKey);
    setClock('authorizer', offset);
    judge(`a key, ${name}`, await api.get('/api/account'), 200);
    // A token of the future is nobody's.
    judge(`a token, ${name}`, await withToken(api, world.token).get('/api/account'), offset > 0 ? 200 : 401);
    setClock('auth-two-factor-verify', offset);
    const [recoveryCode = ''] = world.recoveryCodes;
    judge(`a code of the app, ${name}`, await verify(api, world.loginToken, codeOf(world.totpSecret)), 401);
    // The interim token ends after five minutes, by the clock of whoever asks.
    judge(
      `a recovery code, ${name}`,
      await verify(api, world.loginToken, recoveryCode),
      offset > 0 ? 401 : 200,
    );
    judge(`the code again, ${name}`, await verify(api, world.loginToken, recoveryCode), 401);
    clocks.offsets.clear();
    const spent = offset > 0 ? 200 : 401;
    judge(
      `the code with the right clock, after ${name}`,
      await verify(api, world.loginToken, recoveryCode),
      spent,
    );
  },
  60_000,
);

test.each(clocksOff)(
  'a retry, where the function is an hour %s the second time',
  async (name, offset) => {
    const world = await makeWorld();
    const api = new ApiClient(run.baseUrl, world.apiKey);
    const headers = [
      ['X-API-Key', world.apiKey],
      ['Idempotency-Key', newId()],
    ] as const;
    const body = { subject: 'Slow', body: 'Why?' };
    const send = () =>
      api.send(`/api/tickets?accountId=${world.accountId}`, { method: 'POST', headers, body });
    const first = await send();
    judge(`the first request, ${name}`, first, 201);
    setClock('ticket-create', offset);
    const again = await send();
    judge(`the same key, ${name}`, again, 201);
    if (again.text !== first.text) tally.found('doubled', `a ticket, retried where the clock is ${name}`);
  },
  60_000,
);

test.each(clocksOff)(
  'log lines, where the function is an hour %s',
  async (name, offset) => {
    const { host } = await makeSite(run.api);
    const edgeToken = await makeEdge(`clock-${name}`);
    setClock('edge-log-create', offset);
    const sent = await sendLines(run.api, edgeToken, [varnishLine({ host, at: Date.now() - 2_000 })]);
    judge(`a batch, ${name}`, sent, 200);
    if (sent.data?.accepted !== 1) tally.found('lost', `a line of two seconds ago, ${name}: ${sent.text}`);
  },
  60_000,
);

test.each(clocksOff)(
  'a purge, where its sender is an hour %s, is done once the clock is right',
  async (name, offset) => {
    setClock('purge-consumer', offset);
    setClock('catch-up', offset);
    const purges = new PurgeClient(run.api, run.propertyId);
    const id = await purges.send({ type: 'url', urls: [`/clock/${name}`] });
    const seen = await purges.until(id, (purge) => edgeOf(purge, 'embedded')?.lastError !== undefined);
    tally.tried();
    if (seen.status === 'completed') tally.found('wrong', `an old signature, ${name}: ${seen.status}`);
    clocks.offsets.clear();
    await catchUpNow(run, 'embedded');
    await purges.untilIs(id, 'completed').catch((error: unknown) => tally.found('stuck', String(error)));
  },
  120_000,
);

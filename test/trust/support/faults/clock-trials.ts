import { newId } from '../../../../shared/ground/id.ts';
import { ApiClient } from '../../../support/api-client.ts';
import { catchUpNow } from '../../../support/catch-up.ts';
import { makeEdge, makeSite, removeMadeEdges, sendLines, varnishLine } from '../../../support/edge-log.ts';
import { codeOf, verify, withToken } from '../../../support/identity.ts';
import { edgeOf, PurgeClient } from '../../../support/purge-client.ts';
import type { ClockBench } from './clock-bench.ts';
import { makeWorld } from './world.ts';

/** What is tried where a function's clock is wrong. */
export const clockTrials = {
  'a retry': tryRetry,
  'log lines': tryLogLines,
  credentials: tryCredentials,
  'a purge': tryPurge,
} as const;

async function tryCredentials(bench: ClockBench): Promise<void> {
  const { isAhead } = bench;
  const world = await makeWorld();
  const api = new ApiClient(bench.run.baseUrl, world.apiKey);
  bench.shift('authorizer');
  bench.judge('a key', await api.get('/api/account'), 200);
  // A token of the future is nobody's.
  bench.judge('a token', await withToken(api, world.token).get('/api/account'), isAhead ? 200 : 401);
  bench.shift('auth-two-factor-verify');
  const send = (code: string) => verify(api, world.loginToken, code);
  const [recoveryCode = ''] = world.recoveryCodes;
  bench.judge('a code of the app', await send(codeOf(world.totpSecret)), 401);
  // The interim token ends after five minutes, by the clock of whoever asks.
  bench.judge('a recovery code', await send(recoveryCode), isAhead ? 401 : 200);
  bench.judge('the code again', await send(recoveryCode), 401);
  bench.setRight();
  bench.judge('the code with the right clock', await send(recoveryCode), isAhead ? 200 : 401);
}

/** Its clock is wrong the second time only. */
async function tryRetry(bench: ClockBench): Promise<void> {
  const world = await makeWorld();
  const api = new ApiClient(bench.run.baseUrl, world.apiKey);
  const headers = [
    ['X-API-Key', world.apiKey],
    ['Idempotency-Key', newId()],
  ] as const;
  const body = { subject: 'Slow', body: 'Why?' };
  const send = () => api.send(`/api/tickets?accountId=${world.accountId}`, { method: 'POST', headers, body });
  const first = await send();
  bench.judge('the first request', first, 201);
  bench.shift('ticket-create');
  const again = await send();
  bench.judge('the same key', again, 201);
  if (again.text !== first.text) bench.tally.found('doubled', `a ticket: ${again.text}`);
}

async function tryLogLines(bench: ClockBench): Promise<void> {
  const { api } = bench.run;
  const { host } = await makeSite(api);
  const edgeToken = await makeEdge(`clock-${bench.offset}`);
  bench.shift('edge-log-create');
  const sent = await sendLines(api, edgeToken, [varnishLine({ host, at: Date.now() - 2_000 })]);
  bench.judge('a batch', sent, 200);
  if (sent.data?.accepted !== 1) bench.tally.found('lost', `a line of two seconds ago: ${sent.text}`);
  await removeMadeEdges();
}

/** Of a sender whose clock is wrong it is done once the clock is right. */
async function tryPurge(bench: ClockBench): Promise<void> {
  const { run, tally } = bench;
  bench.shift('purge-consumer');
  bench.shift('catch-up');
  const purges = new PurgeClient(run.api, run.propertyId);
  const id = await purges.send({ type: 'url', urls: [`/clock/${bench.offset}`] });
  const seen = await purges.until(id, (purge) => edgeOf(purge, 'embedded')?.lastError !== undefined);
  tally.tried();
  if (seen.status === 'completed') tally.found('wrong', `an old signature: ${seen.status}`);
  bench.setRight();
  await catchUpNow(run, 'embedded');
  await purges.untilIs(id, 'completed').catch((error: unknown) => tally.found('stuck', String(error)));
}

import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../shared/ground/id.ts';
import { ApiClient, type ApiResponse } from '../../support/api-client.ts';
import { sendLines, varnishLine } from '../../support/edge-log.ts';
import type { Demo } from '../../support/program.ts';
import type { Ledger } from './ledger.ts';

export interface Target {
  readonly demo: Demo;
  /** A property that only the soak's own logs speak of. */
  readonly loggedHost: string;
  readonly edgeToken: string;
}

const mostTries = 60;
const retryMilliseconds = 500;
const burst = 20;
const linesInBatch = 50;

/** What clients do, over and over, each kind with a pause of its own, until it is told to end. */
export function startTraffic(target: Target, ledger: Ledger) {
  const { demo } = target;
  const api = new ApiClient(demo.baseUrl, demo.apiKey);
  const property = `/api/property/${demo.propertyId}`;
  const kinds: readonly (readonly [pauseMilliseconds: number, act: () => Promise<unknown>])[] = [
    [400, () => purge(api, property, ledger)],
    [7_000, () => Promise.all(Array.from({ length: burst }, () => purge(api, property, ledger)))],
    [600, () => logBatch(api, target, ledger)],
    [1_500, () => ticket(api, demo.accountId, ledger)],
    [1_000, () => rule(api, property, ledger)],
    [700, () => wrongCredentials(demo, ledger)],
    [150, () => read(api, demo, property, ledger)],
  ];
  let isEnded = false;
  const running = kinds.map(async ([pause, act]) => {
    while (!isEnded) {
      await act().catch((error: unknown) => ledger.wrong.push(String(error)));
      await sleep(pause);
    }
  });
  return async () => {
    isEnded = true;
    await Promise.all(running);
  };
}

/** As a client that gives up on nothing: the same request, with the same key, until it is taken. */
async function untilTaken(
  what: string,
  ledger: Ledger,
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse | undefined> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const response = await send();
    ledger.note(what, response, 200, 201);
    if (response.status < 300) return response;
    await sleep(retryMilliseconds);
  }
  ledger.wrong.push(`${what}: not taken in ${mostTries} tries`);
  return undefined;
}

function post(api: ApiClient, path: string, body: object): () => Promise<ApiResponse> {
  const headers = [
    ['X-API-Key', api.key],
    ['Idempotency-Key', newId()],
  ] as const;
  return () => api.send(path, { method: 'POST', headers, body });
}

async function purge(api: ApiClient, property: string, ledger: Ledger): Promise<void> {
  const url = `/soak/${newId()}`;
  const taken = await untilTaken(
    'purge',
    ledger,
    post(api, `${property}/purge`, { type: 'url', urls: [url] }),
  );
  if (taken) ledger.purges.set(url, taken.data.purgeId);
}

/** Some batches come twice, at once or one after the other. */
async function logBatch(api: ApiClient, { loggedHost, edgeToken }: Target, ledger: Ledger): Promise<void> {
  const key = newId();
  const lines = Array.from({ length: linesInBatch }, (_, index) =>
    varnishLine({ host: loggedHost, at: Date.now() - index }),
  );
  const send = () => untilTaken('log batch', ledger, () => sendLines(api, edgeToken, lines, { key }));
  const copies = Math.random() < 0.2 ? 2 : 1;
  await Promise.all(Array.from({ length: copies }, send));
  if (Math.random() < 0.2) await send();
  ledger.loggedLines += linesInBatch;
}

async function ticket(api: ApiClient, accountId: string, ledger: Ledger): Promise<void> {
  const send = post(api, `/api/tickets?accountId=${accountId}`, {
    subject: 'Soak',
    body: 'Is it all there?',
  });
  const first = await untilTaken('ticket', ledger, send);
  const again = await untilTaken('ticket again', ledger, send);
  if (first?.text !== again?.text) ledger.wrong.push(`ticket: ${first?.text} and ${again?.text} for one key`);
  if (first) ledger.ticketNumbers.push(first.data.number);
}

/** Makes a rule, changes it, reads it and deletes it. */
async function rule(api: ApiClient, property: string, ledger: Ledger): Promise<void> {
  const input = { name: 'Soak', conditions: [], actions: [{ type: 'forceHttps' }] };
  const made = await untilTaken('rule', ledger, post(api, `${property}/rules`, input));
  if (!made) return;
  const path = `${property}/rules/${made.data.id}`;
  const headers = [['X-API-Key', api.key]] as const;
  const name = `Soak ${newId()}`;
  await untilTaken('rule change', ledger, () => api.send(path, { method: 'PATCH', headers, body: { name } }));
  const found = await untilTaken('rule read', ledger, () => api.get(path));
  if (found?.data.name !== name) ledger.wrong.push(`rule: ${found?.data.name} is not ${name}`);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const deleted = await api.send(path, { method: 'DELETE', headers });
    ledger.note('rule deletion', deleted, 200, ...(tries > 0 ? [404] : []));
    if (deleted.status < 500) return;
    await sleep(retryMilliseconds);
  }
}

async function wrongCredentials({ baseUrl, username }: Demo, ledger: Ledger): Promise<void> {
  const nobody = new ApiClient(baseUrl, `svc_${'x'.repeat(28)}`);
  ledger.note('unknown key', await nobody.get('/api/account'), 401);
  if (Math.random() > 0.1) return;
  const body = { username, password: 'not the password' };
  ledger.note('wrong password', await nobody.send('/api/Auth/Login', { method: 'POST', body }), 401);
}

async function read(api: ApiClient, { accountId }: Demo, property: string, ledger: Ledger): Promise<void> {
  const paths = [
    ...['/api/account', '/api/property', property, `${property}/rules`, `${property}/purge?pageSize=5`],
    ...['/api/statistics', `/api/tickets?accountId=${accountId}`, '/API/Account/'],
  ];
  const path = paths[Math.floor(Math.random() * paths.length)] ?? '';
  ledger.note(`GET ${path}`, await api.get(path), 200);
}

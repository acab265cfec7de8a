import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/endpoints.ts';
import { addEdge } from '../../shared/edge/edge-table.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import type { ApiResponse, Sent } from '../support/api-client.ts';
import { codeOf, enrol, interimToken, login, makeUser, verify, withToken } from '../support/identity.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

let run: TestRun;
const errors: string[] = [];

beforeAll(async () => {
  run = await startTestRun();
});
afterAll(() => run.end());

function keepError(response: ApiResponse): ApiResponse {
  if (response.status >= 400) errors.push(response.text);
  return response;
}

async function plant(): Promise<string[]> {
  const { key } = (await run.api.post('/api/account/api-keys', { name: 'Canary' })).data;
  const { username, secret, recoveryCodes, token } = await enrol(run.api, run.accountId);
  const interim = await interimToken(run.api, username);
  const { Token } = (await verify(run.api, interim, recoveryCodes[0] ?? '')).data;
  const newPassword = 'canary password that nobody may see';
  const changed = await withToken(run.api, Token).post('/api/Auth/password', {
    currentPassword: 'correct horse battery staple',
    newPassword,
  });
  const pending = withToken(run.api, (await login(run.api, await makeUser(run.accountId))).data.Token);
  const { secret: pendingSecret } = (await pending.post('/api/Auth/2fa/setup')).data;
  const edgeSecret = 'canary secret of an edge';
  await addEdge(
    { id: 'canary', driver: 'varnish', tier: 'edge', url: run.edgeUrl, secret: edgeSecret },
    'hash',
  );
  const more = [newPassword, interim, token, Token, changed.data.Token, edgeSecret, codeOf(secret, 1)];
  return [key, secret, pendingSecret, 'correct horse battery staple', ...recoveryCodes, ...more];
}

/**
 * Each canary where it does not belong, on every endpoint: as field, value, key, query, path and credential. One after
 * the other: requests at a time would make a new environment each.
 */
async function misplace(canaries: readonly string[]): Promise<void> {
  for (const endpoint of Object.values(endpoints))
    for (const canary of canaries)
      for (const [target, sent] of misplaced(canary, endpoint)) keepError(await run.api.send(target, sent));
}

function misplaced(canary: string, { method, path }: Endpoint): readonly [string, Sent][] {
  const body = {
    [canary]: canary,
    type: canary,
    name: [canary],
    code: canary,
    username: canary,
    password: canary,
  };
  const target = path.replace(/\{\w+\}/g, encodeURIComponent(canary));
  const sent = { method, ...(method === 'POST' && { body }) };
  const query = `${target}?pageSize=${encodeURIComponent(canary)}`;
  return [
    [query, { ...sent, headers: [['X-API-Key', run.apiKey]] }],
    [query, { ...sent, headers: [['X-API-Key', canary]] }],
    [query, { ...sent, headers: [['Authorization', `Bearer ${canary}`]] }],
    [query.toUpperCase(), { ...sent, headers: [['Authorization', canary]] }],
  ];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** The run's own files of secrets, which stand for AWS and for the newcomer's notes. */
const mayHold = /\/(demo|kms|secrets|embedded-edge)\.json$/;

/** As text, and as the database keeps bytes. */
function spellingsOf(canary: string): readonly string[] {
  return [canary, Buffer.from(canary).toString('base64').replace(/=+$/, '')];
}

test('no key, password, TOTP secret, recovery code or token is in any error, log, item or message', async () => {
  const canaries = (await plant()).filter((canary) => canary.length > 6);
  expect(canaries.length).toBeGreaterThan(18);
  await misplace([canaries[0] ?? '', canaries[1] ?? '', canaries[4] ?? '']);
  run.aws.fault = () => ({ type: 'InternalServerError', status: 500 });
  for (const canary of canaries.slice(0, 2)) keepError(await login(run.api, canary, canary));
  run.aws.fault = () => ({ type: 'ValidationException' });
  for (const canary of canaries.slice(0, 2)) keepError(await login(run.api, canary, canary));
  run.aws.fault = () => undefined;
  await run.api.post(`/api/property/${run.propertyId}/purge`, { type: 'all' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(errors.length).toBeGreaterThan(200);
  const kept = filesIn(run.folder).filter((file) => !mayHold.test(file));
  expect(kept.some((file) => file.endsWith('functions.log'))).toBe(true);
  const places = [
    ...errors.map((text) => ['an error', text] as const),
    ...kept.map((file) => [file, readFileSync(file, 'latin1')] as const),
  ];
  const found = canaries.flatMap((canary) =>
    places
      .filter(([, text]) => spellingsOf(canary).some((spelling) => text.includes(spelling)))
      .map(([place]) => [canary, place]),
  );
  expect(found).toEqual([]);
});

import { expect } from 'vitest';
import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../shared/account/account-table.ts';
import { createUser } from '../../shared/account/account-user-table.ts';
import { hashPassword } from '../../shared/auth/password.ts';
import { ApiClient } from './api-client.ts';
import { makeStranger, startTestRun, type TestRun } from './test-run.ts';

const password = 'correct horse battery staple';

let running: Promise<TestRun> | undefined;
let accounts = 0;

/**
 * The one local run of this worker, with an account, a property and a user of the test file's own. It ends with
 * the worker. A file that changes the registry of edges, or needs options, starts a run of its own
 * instead, and stands in `system` of `vitest.config.ts`.
 */
export async function joinSharedRun(): Promise<TestRun> {
  running ??= startTestRun();
  const run = await running;
  run.aws.calls.length = 0;
  run.aws.fault = () => undefined;
  return {
    ...run,
    ...(await makeCustomer(run)),
    stranger: await makeStranger(run.baseUrl),
    end: async () => expect(run.aws.denied.splice(0)).toEqual([]),
  };
}

async function makeCustomer({ baseUrl, originUrl }: TestRun) {
  accounts += 1;
  const { accountId } = await createAccount('Demo');
  const { key: apiKey } = await createApiKey(accountId, 'Demo');
  const username = `demo-${accounts}@example.com`;
  await createUser(accountId, username, await hashPassword(password));
  const api = new ApiClient(baseUrl, apiKey);
  const hostname = `demo-${accounts}.localhost`;
  const created = await api.post('/api/property', {
    name: 'Demo',
    hostnames: [hostname],
    origin: { url: originUrl },
  });
  return { accountId, apiKey, username, password, api, hostname, propertyId: String(created.data.id) };
}

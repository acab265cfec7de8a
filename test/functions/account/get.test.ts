import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test('a plugin’s connection test: the account and the credential it used', async () => {
  const { status, data } = await run.api.get('/api/account');
  expect(status).toBe(200);
  expect(data).toEqual({
    id: run.accountId,
    name: 'Demo',
    createdAt: expect.any(String),
    credential: { scheme: 'apiKey', id: expect.any(String), prefix: run.apiKey.slice(0, 8) },
  });
});

test('a database of this machine that stands still for seconds is waited for, not asked again', async () => {
  const tries: string[] = [];
  run.aws.fault = (_, __, functionName, callId) => {
    if (functionName !== 'CdnManagement-account-get') return undefined;
    tries.push(callId);
    return sleep(tries.length > 1 ? 0 : 2_500).then(() => undefined);
  };
  const { status } = await run.api.get('/api/account');
  run.aws.fault = () => undefined;
  expect([status, tries.length > 0]).toEqual([200, true]);
  expect(new Set(tries).size).toBe(tries.length);
});

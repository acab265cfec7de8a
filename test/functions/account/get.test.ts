import { expect, test } from 'vitest';
import { joinSharedRun } from '../../support/shared-run.ts';

test('a plugin’s connection test: the account and the credential it used', async () => {
  const run = await joinSharedRun();
  const { status, data } = await run.api.get('/api/account');
  expect(status).toBe(200);
  expect(data).toEqual({
    id: run.accountId,
    name: 'Demo',
    createdAt: expect.any(String),
    credential: { scheme: 'apiKey', id: expect.any(String), prefix: run.apiKey.slice(0, 8) },
  });
  await run.end();
});

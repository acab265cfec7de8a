import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionSources } from '../../infra/definition/functions.ts';
import { joinSharedRun } from '../support/shared-run.ts';
import type { TestRun } from '../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

function eventOf(name: string) {
  return JSON.parse(readFileSync(`test/events/${name}.json`, 'utf8'));
}

test.each(functionSources.filter(({ endpoint }) => endpoint))(
  '$name responds to its test event in the envelope',
  async ({ name }) => {
    const response = (await run.functions.invoke(`CdnManagement-${name}`, eventOf(name))) as {
      statusCode: number;
      body: string;
    };
    expect([200, 201, 401, 404]).toContain(response.statusCode);
    expect(JSON.parse(response.body)).toMatchObject({ succeeded: response.statusCode < 400 });
  },
);

test('the authorizer denies its event’s unknown key, with a message', async () => {
  expect(await run.functions.invoke('CdnManagement-authorizer', eventOf('authorizer'))).toMatchObject({
    policyDocument: { Statement: [{ Effect: 'Deny' }] },
    context: { message: expect.stringContaining('not known') },
  });
});

test('the fallback responds to its event’s unknown key with 401', async () => {
  expect(await run.functions.invoke('CdnManagement-fallback', eventOf('fallback'))).toMatchObject({
    statusCode: 401,
  });
});

test('the consumer handles its event whole', async () => {
  expect(await run.functions.invoke('CdnManagement-purge-consumer', eventOf('purge-consumer'))).toEqual({
    batchItemFailures: [],
  });
});

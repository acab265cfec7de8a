import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamodb, tableName } from '../../../shared/aws/dynamodb.ts';
import { newId } from '../../../shared/ground/id.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { putAll } from '../../support/put-all.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

/** More than one response of the database holds. */
const many = volume(1_000, 100_000);
const few = 10;

let run: TestRun;
let example: Record<string, unknown>;

beforeAll(async () => {
  run = await joinSharedRun();
  example = (await run.api.get(`/api/property/${run.propertyId}`)).data;
});
afterAll(() => run.end());

/** Records as creates would have left them, and their total. */
async function seed(accountId: string): Promise<void> {
  await putAll(
    'properties',
    Array.from({ length: many }, () => ({ ...example, accountId, id: newId() })),
  );
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('properties'),
      Key: { accountId, id: '#total' },
      UpdateExpression: 'ADD #total :many',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':many': many },
    }),
  );
}

async function readUnits(api: ApiClient): Promise<{ units: number; total: number; items: number }> {
  run.aws.calls.length = 0;
  const { envelope, data } = await api.get(`/api/property?pageSize=${few}`);
  const units = run.aws.calls
    .filter(({ functionName }) => functionName.endsWith('property-list'))
    .reduce((sum, call) => sum + call.readUnits, 0);
  return { units, total: envelope.totalRecords, items: data.items.length };
}

function fresh(index: number): string {
  return `${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.h${index}.example.com`;
}

test(`a first page costs the same with ${many} records as with 10`, async () => {
  for (let index = 0; index < few; index += 1) {
    const body = {
      name: 'Few',
      hostnames: [`few-${index}.example.com`],
      origin: { url: 'http://127.0.0.1:1' },
    };
    expect((await run.stranger.post('/api/property', body)).status).toBe(201);
  }
  const small = await readUnits(run.stranger);
  await seed(run.accountId);
  const large = await readUnits(run.api);
  expect([small.total, small.items, large.total, large.items]).toEqual([few, few, many + 1, few]);
  expect(large.units / small.units).toBeLessThanOrEqual(1.2);
});

test('a page of 100 of the largest properties stays under Lambda’s 6 MB', async () => {
  const names = Array.from({ length: 50 }, () => 'n'.repeat(200));
  for (let first = 0; first < 100; first += 10) {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        run.stranger.post('/api/property', {
          name: 'N'.repeat(200),
          hostnames: Array.from({ length: 40 }, (__, host) => fresh((first + index) * 40 + host)),
          origin: { url: `http://127.0.0.1:1/${'p'.repeat(150)}`, hostHeader: 'h'.repeat(200) },
          cache: { queryString: { mode: 'deny', names } },
        }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201));
  }
  const { status, data, text } = await run.stranger.get('/api/property?pageSize=100');
  expect([status, data.items.length]).toEqual([200, 100]);
  expect(text.length).toBeGreaterThan(1_500_000);
  expect(JSON.stringify({ body: text }).length).toBeLessThan(6 * 1024 * 1024);
});

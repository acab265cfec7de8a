import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamodb, tableName } from '../../../shared/aws/dynamodb.ts';
import { registry } from '../../../shared/edge/edge.ts';
import { addEdge, removeEdge } from '../../../shared/edge/edge-table.ts';
import { callSchedule } from '../../support/catch-up.ts';
import { eventually } from '../../support/eventually.ts';
import { runScript } from '../../support/program.ts';
import { edgeOf, PurgeClient } from '../../support/purge-client.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';

/** An edge that was registered when the service had a driver more. */
const addWithRetiredDriver = async (id: string): Promise<void> => {
  await addEdge({ id, driver: 'varnish', tier: 'edge', secret: 's'.repeat(32), url: run.edgeUrl }, 'hash');
  await dynamodb().send(
    new UpdateCommand({
      TableName: tableName('edges'),
      Key: { registry, id },
      UpdateExpression: 'SET driver = :driver',
      ExpressionAttributeValues: { ':driver': 'retired' },
    }),
  );
};

let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await startTestRun();
  path = `/api/property/${run.propertyId}/purge`;
  const url = 'cloudfront:E2QWRUHAPOMQZL';
  await addEdge({ id: 'cdn', driver: 'cloudfront', tier: 'edge', secret: undefined, url }, 'hash');
  await addWithRetiredDriver('old');
});
afterAll(() => run.end());

const purge = (body: object) => run.api.post(path, body);

const tags = { type: 'tag', tags: ['news'] };
const soft = { type: 'url', urls: ['/news'], soft: true };
const noTags =
  'This purge is not possible here: the edge cdn (cloudfront) can be purged by all, url, prefix, hostname only, not by tag.';
const noSoft =
  'This purge is not possible here: the edge cdn (cloudfront) cannot mark content stale: leave soft out.';

test.each([
  [tags, noTags],
  [{ ...tags, soft: true }, noTags],
  [soft, noSoft],
  [{ type: 'all', soft: true }, noSoft],
])(
  '%j, which a CloudFront edge cannot do, is 400, saying what it can, and nothing is queued',
  async (body, message) => {
    const refused = await purge(body);
    expect([refused.status, refused.envelope.message, refused.data]).toEqual([400, message, null]);
    expect((await run.api.get(path)).envelope.totalRecords).toBe(0);
    expect(run.aws.calls.map(({ operation }) => operation)).not.toContain('sqs:SendMessage');
  },
);

test('an edge whose driver is no more forbids no purge, fails each, and says what to do until it is removed', async () => {
  const client = new PurgeClient(run.api, run.propertyId);
  const id = await client.send({ type: 'all' });
  const failed = await client.untilEdgeIs(id, 'old', 'failed');
  expect(edgeOf(failed, 'old')?.lastError).toMatch(/no driver .* remove it, or .* edge replace/);
  expect(edgeOf(failed, 'embedded')?.status).toBe('completed');
  const operator = (...args: string[]) =>
    runScript(['operator', '--', 'edge', ...args, '--json'], { DATA_DIR: run.folder });
  const listed = await operator('list');
  expect(JSON.parse(listed.stdout)).toContainEqual(
    expect.objectContaining({
      id: 'old',
      driver: 'retired',
      behind: expect.objectContaining({ reason: expect.stringContaining('no driver') }),
    }),
  );
  const checked = await operator('check', '--id', 'old');
  expect([checked.status, JSON.parse(checked.stdout)]).toEqual([
    1,
    { id: 'old', ok: false, detail: expect.stringContaining('no driver') },
  ]);
  await removeEdge('old');
  await callSchedule(run);
  await client.until(id, (purge) => !edgeOf(purge, 'old'));
}, 30_000);

test('what it can do is accepted, and without it so is the rest, ten seconds later at most', async () => {
  for (const type of [
    { type: 'all' },
    { type: 'url', urls: ['/news'] },
    { type: 'prefix', prefixes: ['/news/'] },
    { type: 'hostname', hostnames: [run.hostname] },
  ]) {
    expect((await purge(type)).status).toBe(200);
  }
  await removeEdge('cdn');
  for (const body of [tags, soft]) {
    await eventually(
      () => purge(body),
      ({ status }) => status === 200,
      20_000,
    );
  }
});

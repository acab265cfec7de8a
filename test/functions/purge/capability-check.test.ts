import { readFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/purge/create.ts';
import type { Edge } from '../../../shared/edge/edge.ts';
import { addEdge, removeEdge, replaceEdge } from '../../../shared/edge/edge-table.ts';
import { cloudFrontEdge } from '../../support/cloudfront-run.ts';
import { PurgeClient } from '../../support/purge-client.ts';
import { queuedPurges } from '../../support/queued-purges.ts';
import { startTestRun, type TestRun } from '../../support/test-run.ts';

let run: TestRun;
let path: string;
let cdn: Edge;

beforeAll(async () => {
  run = await startTestRun();
  path = `/api/property/${run.propertyId}/purge`;
  cdn = { ...cloudFrontEdge('E2QWRUHAPOMQZL'), scope: { accounts: [run.accountId], properties: [] } };
  await addEdge(cdn, 'hash');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await run.end();
});

function purge(body: object) {
  return run.api.post(path, body);
}

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
    run.aws.calls.length = 0;
    const refused = await purge(body);
    expect([refused.status, refused.envelope.message, refused.data]).toEqual([400, message, null]);
    expect((await run.api.get(path)).envelope.totalRecords).toBe(0);
    expect(queuedPurges(run)).toBe(0);
  },
);

test('what it cannot do is accepted of another account, which it is not for', async () => {
  const body = { name: 'Foreign', hostnames: ['foreign.example.com'], origin: { url: 'http://127.0.0.1:1' } };
  const { id } = (await run.stranger.post('/api/property', body)).data;
  const foreign = new PurgeClient(run.stranger, id);
  for (const asked of [tags, soft]) {
    const { edges } = await foreign.untilIs(await foreign.send(asked), 'completed');
    expect(edges.map((edge) => edge.id)).toEqual(['embedded']);
  }
});

/** By the function in this process, whose clock can be turned. */
async function statusInProcess(body: object): Promise<number> {
  const event = JSON.parse(readFileSync('test/events/purge-create.json', 'utf8'));
  const { requestContext } = event;
  const variables = run.functions.environmentOf('CdnManagement-purge-create') ?? {};
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const authorizer = { ...requestContext.authorizer, accountId: run.accountId };
  const response = await handler(
    {
      ...event,
      pathParameters: { propertyId: run.propertyId },
      requestContext: { ...requestContext, authorizer },
      body: JSON.stringify(body),
      isBase64Encoded: false,
    },
    {} as Context,
  );
  return response.statusCode;
}

test('what it can do is accepted, and where it is widened or gone so is the rest, ten seconds later at most', async () => {
  for (const type of [
    { type: 'all' },
    { type: 'url', urls: ['/news'] },
    { type: 'prefix', prefixes: ['/news/'] },
    { type: 'hostname', hostnames: [run.hostname] },
  ]) {
    expect((await purge(type)).status).toBe(200);
  }
  expect(await statusInProcess(tags)).toBe(400);
  const changes = [() => replaceEdge({ ...cdn, isWidened: true }), () => removeEdge('cdn')];
  for (const [index, change] of changes.entries()) {
    await change();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 * (index + 1) });
    try {
      for (const body of [tags, soft]) expect(await statusInProcess(body)).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  }
});

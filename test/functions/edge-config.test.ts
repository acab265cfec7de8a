import { afterAll, beforeAll, expect, test } from 'vitest';
import { PollingEdge, poll } from '../support/config-poll.ts';
import { makeEdge } from '../support/edge-log.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await startTestRun();
});
afterAll(() => run.end());

test('an edge gets a property whole, then what changes, and reports it', async () => {
  const edge = new PollingEdge(run, await makeEdge('first'));
  const body = { name: 'Site', hostnames: ['first.example.com'], origin: { url: 'http://127.0.0.1:9' } };
  const { id } = (await run.api.post('/api/property', body)).data;
  expect((await run.api.get(`/api/property/${id}/deployment`)).data).toEqual({
    version: 1,
    status: 'live',
    edges: [],
  });
  await edge.sync();
  expect(edge.documents.get(id)).toMatchObject({ propertyId: id, version: 1, status: 'active' });
  expect((await run.api.get(`/api/property/${id}/deployment`)).data).toEqual({
    version: 1,
    status: 'deploying',
    edges: [{ id: 'first', version: 0, appliedAt: null }],
  });
  await edge.sync();
  expect((await run.api.get(`/api/property/${id}/deployment`)).data).toMatchObject({
    version: 1,
    status: 'live',
  });
  expect((await poll(run, 'nonsense')).status).toBe(401);
});

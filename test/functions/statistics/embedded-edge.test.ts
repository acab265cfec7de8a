import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { getFromEdge } from '../../support/get-from-edge.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(() => run.end());

test('what the embedded edge serves shows in the statistics, purges aside', async () => {
  const first = await getFromEdge(run.edgeUrl, run.hostname, '/page');
  await getFromEdge(run.edgeUrl, run.hostname, '/page');
  await getFromEdge(run.edgeUrl, run.hostname, '/page');
  await run.api.post(`/api/property/${run.propertyId}/purge`, { type: 'all' });
  const read = () => run.api.get(`/api/property/${run.propertyId}/statistics?groupBy=edge`);
  const { data } = await eventually(read, (response) => response.data.totals.requests >= 3);
  expect(data.totals).toMatchObject({ requests: 3, hits: 2, misses: 1, bytes: 3 * first.body.length });
  expect(data.groups.map(({ key }: { key: string }) => key)).toEqual(['embedded']);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../shared/ground/id.ts';
import { dimensionOf } from '../../../shared/statistics/dimension.ts';
import { bucketStart } from '../../../shared/statistics/granularity.ts';
import type { RollupIncrement } from '../../../shared/statistics/rollup.ts';
import {
  makeEdge,
  makeSite,
  removeMadeEdges,
  sendLines,
  storeRollups,
  varnishLine,
} from '../../support/edge-log.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';

const day = 86_400_000;
const hour = 3_600_000;

let run: TestRun;

beforeAll(async () => {
  run = await joinSharedRun();
});
afterAll(async () => {
  await removeMadeEdges();
  await run.end();
});

/** Read units of one response, all of it. */
async function unitsOf(path: string): Promise<number> {
  run.aws.calls.length = 0;
  expect((await run.api.get(path)).status).toBe(200);
  return run.aws.calls
    .filter(({ functionName }) => functionName.includes('statistics'))
    .reduce((sum, { readUnits }) => sum + readUnits, 0);
}

const kinds = [
  { handling: 'hit', status: 200 },
  { handling: 'miss', status: 200 },
  { handling: 'miss', status: 404 },
  { handling: 'pass', status: 500 },
];

test('thirty days by day cost at most twice what one day costs', async () => {
  const { id, host } = await makeSite(run.api);
  const now = Date.now();
  for (const edge of ['a-1', 'a-2', 'a-3']) {
    const token = await makeEdge(edge);
    const times = [
      ...Array.from({ length: 30 }, (_, index) => now - index * day),
      ...Array.from({ length: 24 }, (_, index) => now - index * hour),
    ];
    const lines = times.flatMap((at) =>
      kinds.map((kind) => varnishLine({ host, at, bytes: 1_000_000_000, ...kind })),
    );
    expect((await sendLines(run.api, token, lines)).data.accepted).toBe(lines.length);
  }
  const from = (days: number): string => new Date(now - days * day).toISOString();
  const path = `/api/property/${id}/statistics`;
  const month = await unitsOf(`${path}?granularity=day&from=${from(29)}`);
  const oneDayByHour = await unitsOf(path);
  const oneDay = await unitsOf(`${path}?granularity=day&from=${from(0.001)}`);
  expect(month / oneDayByHour).toBeLessThanOrEqual(2);
  expect(month / oneDay).toBeLessThanOrEqual(2);
});

const many = volume(1_000, 10_000);

/** What ingestion leaves of one more property of the account in this hour. */
function rollupsOfOneMore(accountId: string): readonly RollupIncrement[] {
  const owner = newId();
  return (['hour', 'day'] as const).map((granularity) => ({
    owner,
    accountId,
    granularity,
    start: bucketStart(granularity, Date.now()),
    edgeId: 'paris',
    metrics: new Map([[dimensionOf('hit', 200), { requests: 1, bytes: 100 }]]),
  }));
}

test(`${many} properties make neither one property’s numbers dearer nor the account’s`, async () => {
  const { id, host } = await makeSite(run.api);
  const token = await makeEdge('rome');
  await sendLines(run.api, token, [varnishLine({ host })]);
  const paths = [`/api/property/${id}/statistics`, '/api/statistics', '/api/statistics?groupBy=edge'];
  const unitsOfAll = async () => {
    const units: number[] = [];
    for (const path of paths) units.push(await unitsOf(path));
    return units;
  };
  const before = await unitsOfAll();
  await storeRollups(Array.from({ length: many }, () => rollupsOfOneMore(run.accountId)).flat());
  expect(await unitsOfAll()).toEqual(before);
  const { status, data } = await run.api.get('/api/statistics?groupBy=property');
  // The account's own counters do not know of what was seeded, so that nothing is left for `other`.
  expect([status, data.groups.length]).toEqual([200, 100]);
});

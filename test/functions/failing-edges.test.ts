import { afterAll, beforeAll, expect, test } from 'vitest';
import { urlKey } from '../../shared/edge/cache-keys.ts';
import type { Purge } from '../../shared/purge/purge-record.ts';
import { catchUpNow } from '../support/catch-up.ts';
import { eventually } from '../support/eventually.ts';
import type { Mood } from '../support/moods.ts';
import { RecordingEdge, serveByEdges } from '../support/recording-edge.ts';
import { startTestRun, type TestRun } from '../support/test-run.ts';
import { volume } from '../support/volume.ts';

const edgeCount = volume(20, 50);
const bad: Readonly<Record<string, Mood>> = {
  'edge-0': 'refusing',
  'edge-1': 'hanging',
  'edge-2': 'slow',
  'edge-3': 'error',
};
const purgeCount = volume(30, 60);

const edges = new Map(
  Array.from({ length: edgeCount }, (_, index) => [`edge-${index}`, new RecordingEdge()]),
);
let run: TestRun;
let path: string;

beforeAll(async () => {
  run = await startTestRun();
  path = `/api/property/${run.propertyId}/purge`;
  await serveByEdges(edges);
});
afterAll(async () => {
  await run.end();
  await Promise.all([...edges.values()].map((edge) => edge.stop()));
});

function setMoods(moods: Readonly<Record<string, Mood>>): void {
  for (const [id, edge] of edges) edge.mood = () => moods[id] ?? 'well';
}

async function ask(url: string) {
  const { status, data } = await run.api.post(path, { type: 'url', urls: [url] });
  expect(status).toBe(200);
  return { key: urlKey(run.hostname, url), id: data.purgeId as string };
}

async function read(id: string): Promise<Purge> {
  return (await run.api.get(`${path}/${id}`)).data;
}

function hasDone(edge: RecordingEdge | undefined, key: string): boolean {
  return edge?.purged.has(key) ?? false;
}

/** What the status says of each edge must be what the edge did, whenever it is looked at. */
async function expectTruth(id: string, key: string): Promise<Purge> {
  const purge = await read(id);
  for (const edge of purge.edges) {
    if (edge.status === 'completed')
      expect([edge.id, hasDone(edges.get(edge.id), key)]).toEqual([edge.id, true]);
    if (edge.status === 'retrying') expect(edge.lastError).toEqual(expect.any(String));
  }
  const isAllDone =
    purge.edges.length === edgeCount && purge.edges.every(({ status }) => status === 'completed');
  if (purge.status !== 'queued')
    expect([purge.status === 'completed', isAllDone]).toEqual([isAllDone, isAllDone]);
  return purge;
}

test(`four bad edges of ${edgeCount} hold up nobody; when they are back they get everything`, async () => {
  setMoods(bad);
  const asked = [];
  for (let number = 0; number < purgeCount; number += 1) {
    const purge = await ask(`/failing/${number}`);
    asked.push(purge);
    await expectTruth(purge.id, purge.key);
  }
  for (const { id, key } of asked) {
    const running = await eventually(
      () => expectTruth(id, key),
      ({ edges: shown }) => shown.filter(({ status }) => status === 'completed').length >= edgeCount - 4,
      20_000,
    );
    for (const { id: edgeId, status } of running.edges) {
      if (!bad[edgeId]) expect([edgeId, status]).toEqual([edgeId, 'completed']);
      else if (bad[edgeId] !== 'slow') expect([edgeId, status]).toEqual([edgeId, 'retrying']);
    }
  }
  const requests = edges.get('edge-1')?.requests ?? 0;
  expect(requests).toBeLessThan(purgeCount);

  setMoods({});
  for (const edgeId of Object.keys(bad)) await catchUpNow(run, edgeId);
  for (const { id, key } of asked) {
    const done = await eventually(
      () => expectTruth(id, key),
      ({ status }) => status === 'completed',
    );
    expect(done.edges.map(({ id: edgeId }) => [edgeId, hasDone(edges.get(edgeId), key)])).toEqual(
      done.edges.map(({ id: edgeId }) => [edgeId, true]),
    );
    expect(done.edges).toHaveLength(edgeCount);
  }
});

test('an edge that responds after two seconds gets everything although it never gets faster', async () => {
  setMoods({ 'edge-2': 'slow' });
  const asked = [];
  for (let number = 0; number < 10; number += 1) asked.push(await ask(`/slow/${number}`));
  for (const { id, key } of asked) {
    await eventually(
      () => expectTruth(id, key),
      ({ status }) => status === 'completed',
    );
  }
  setMoods({});
});

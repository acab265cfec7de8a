import { beforeEach, expect, test } from 'vitest';
import { type EdgeDriver, EdgeFailure } from '../../../shared/edge/driver.ts';
import type { Edge, EdgeTier } from '../../../shared/edge/edge.ts';
import { fanOut } from '../../../shared/purge/fan-out.ts';
import type { Progress } from '../../../shared/purge/progress.ts';

const edge = (id: string, tier: EdgeTier): Edge => ({
  id,
  tier,
  driver: 'varnish',
  url: 'http://127.0.0.1:1',
  secret: '',
});

const purge = { type: 'all', soft: false, hostnames: ['www.example.com'], values: [] } as const;

let asked: { readonly id: string; readonly at: number }[];
let away: Set<string>;
beforeEach(() => {
  asked = [];
  away = new Set();
});

const driver = (guardsFetches: boolean): EdgeDriver => ({
  guardsFetches,
  async purge({ id }) {
    asked.push({ id, at: performance.now() });
    if (away.has(id)) throw new EdgeFailure('unreachable', 'away');
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { removed: 1 };
  },
  async check() {},
});

const guarded = driver(true);
const bare = driver(false);
const order = (): string[] => asked.map(({ id }) => id);

const pending = (edges: readonly Edge[]): Progress =>
  Object.fromEntries(edges.map(({ id, tier }) => [id, { tier, status: 'pending', attempts: 0 }]));

test('shields are acknowledged before any edge is asked, and edges are asked all at once', async () => {
  const edges = [edge('e1', 'edge'), edge('s1', 'shield'), edge('e2', 'edge'), edge('s2', 'shield')];
  const after = await fanOut(edges, purge, pending(edges), () => guarded);
  expect([order().slice(0, 2).sort(), order().slice(2).sort()]).toEqual([
    ['s1', 's2'],
    ['e1', 'e2'],
  ]);
  expect((asked[2]?.at ?? 0) - (asked[1]?.at ?? 0)).toBeGreaterThanOrEqual(19);
  expect(Object.values(after).map(({ status, removed }) => [status, removed])).toEqual(
    Array.from({ length: 4 }, () => ['completed', 1]),
  );
});

test('while a shield is away the edges are purged, stay pending, and are purged again after it', async () => {
  const edges = [edge('s', 'shield'), edge('e', 'edge')];
  away.add('s');
  const first = await fanOut(edges, purge, pending(edges), () => guarded);
  expect([first.s?.status, first.e?.status, order()]).toEqual(['retrying', 'pending', ['s', 's', 's', 'e']]);
  expect(first.e?.completedAt).toBeUndefined();
  const second = await fanOut(edges, purge, first, () => guarded);
  expect([second.s?.status, second.e]).toEqual(['retrying', undefined]);
  away.clear();
  const third = await fanOut(edges, purge, { ...first, ...second }, () => guarded);
  expect([third.s?.status, third.e?.status, third.e?.removed]).toEqual(['completed', 'completed', 2]);
  expect(order().slice(-2)).toEqual(['s', 'e']);
});

test('a backend without a guard gets a second pass, when the fetches of the first are over', async () => {
  const edges = [edge('bare', 'edge'), edge('guarded', 'edge')];
  const after = await fanOut(edges, purge, pending(edges), ({ id }) => (id === 'bare' ? bare : guarded));
  expect([order().sort(), after.bare?.removed, after.bare?.status]).toEqual([
    ['bare', 'bare', 'guarded'],
    2,
    'completed',
  ]);
  expect((asked.at(-1)?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_999);
});

test('behind an unguarded shield every edge gets the second pass', async () => {
  const edges = [edge('shield', 'shield'), edge('e', 'edge')];
  await fanOut(edges, purge, pending(edges), ({ id }) => (id === 'shield' ? bare : guarded));
  expect(order()).toEqual(['shield', 'e', 'shield', 'e']);
});

test('an edge that refuses is not asked again', async () => {
  const edges = [edge('e', 'edge')];
  const refusing: EdgeDriver = {
    ...guarded,
    purge: async ({ id }) => {
      asked.push({ id, at: 0 });
      throw new EdgeFailure('refused', 'no');
    },
  };
  const after = await fanOut(edges, purge, pending(edges), () => refusing);
  expect([order(), after.e]).toEqual([
    ['e'],
    { tier: 'edge', status: 'failed', attempts: 1, lastError: 'no' },
  ]);
});

test('a fault of our own is not taken for the edge’s', async () => {
  const broken: EdgeDriver = { ...guarded, purge: async () => Promise.reject(new TypeError('ours')) };
  const edges = [edge('e', 'edge')];
  await expect(fanOut(edges, purge, pending(edges), () => broken)).rejects.toThrow('ours');
});

import { beforeEach, expect, test } from 'vitest';
import { fanOut } from '../../../shared/delivery/fan-out.ts';
import { EdgeFailure, type ImmediateDriver } from '../../../shared/edge/driver.ts';
import type { ImmediateEdge } from '../../../shared/edge/edge.ts';
import type { EdgeTier } from '../../../shared/edge/tier.ts';

function edge(id: string, tier: EdgeTier): ImmediateEdge {
  return {
    id,
    tier,
    driver: 'varnish',
    url: 'http://127.0.0.1:1',
    secret: '',
  };
}

const purge = { type: 'all', soft: false, hostnames: ['www.example.com'], values: [] } as const;

let asked: { readonly id: string; readonly at: number }[];
let prepared: number;
beforeEach(() => {
  asked = [];
  prepared = 0;
});

function driver(failure?: EdgeFailure, afterMilliseconds = 20): ImmediateDriver {
  return {
    prepare() {
      prepared += 1;
      return async ({ id }) => {
        asked.push({ id, at: performance.now() });
        await new Promise((resolve) => setTimeout(resolve, afterMilliseconds));
        if (failure) throw failure;
        return { removed: 1 };
      };
    },
    check: async () => 'it would',
  };
}

const well = driver();

function order(): string[] {
  return asked.map(({ id }) => id);
}

test('shields are acknowledged before any edge is asked, and edges are asked all at once; the purge is prepared once', async () => {
  const edges = [edge('e1', 'edge'), edge('s1', 'shield'), edge('e2', 'edge'), edge('s2', 'shield')];
  const responses = await fanOut(edges, purge, undefined, () => well);
  expect([order().slice(0, 2).sort(), order().slice(2).sort()]).toEqual([
    ['s1', 's2'],
    ['e1', 'e2'],
  ]);
  expect(prepared).toBe(1);
  expect((asked[2]?.at ?? 0) - (asked[1]?.at ?? 0)).toBeGreaterThanOrEqual(19);
  expect(Object.values(responses).map(({ attempts, removed }) => [attempts, removed])).toEqual(
    Array.from({ length: 4 }, () => [1, 1]),
  );
});

test('an edge that fails at once is asked three times', async () => {
  const failing = driver(new EdgeFailure('unreachable', 'away'), 0);
  const responses = await fanOut([edge('e', 'edge')], purge, undefined, () => failing);
  expect([order(), responses.e]).toEqual([
    ['e', 'e', 'e'],
    {
      attempts: 3,
      failure: { kind: 'unreachable', message: 'away' },
      at: expect.any(Number),
    },
  ]);
});

test('an edge that takes its time to fail is asked once, so that nothing else waits for it', async () => {
  const hanging = driver(new EdgeFailure('unreachable', 'no response'), 400);
  await fanOut([edge('e', 'edge')], purge, undefined, () => hanging);
  expect(order()).toEqual(['e']);
});

test.each(['refused', 'denied'] as const)(
  'an edge that responds with %s is not asked again',
  async (kind) => {
    const refusing = driver(new EdgeFailure(kind, 'no'));
    const responses = await fanOut([edge('e', 'edge')], purge, undefined, () => refusing);
    expect([order(), responses.e]).toEqual([
      ['e'],
      { attempts: 1, failure: { kind, message: 'no' }, at: expect.any(Number) },
    ]);
  },
);

test('a fault of our own is not taken for the edge’s', async () => {
  const broken: ImmediateDriver = { ...well, prepare: () => () => Promise.reject(new TypeError('ours')) };
  await expect(fanOut([edge('e', 'edge')], purge, undefined, () => broken)).rejects.toThrow('ours');
});

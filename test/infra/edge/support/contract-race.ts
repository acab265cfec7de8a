import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { eventually } from '../../../support/eventually.ts';
import { volume } from '../../../support/volume.ts';
import { type Bench, beginFetch, refreshMilliseconds } from './bench.ts';
import { contentOf } from './edge-client.ts';

interface Race {
  readonly purges: number;
  readonly atOnce: number;
  /** How long the origin takes, from and to. */
  readonly delayMilliseconds: readonly [number, number];
  /** The latest moment of the purge after the request. */
  readonly purgeMilliseconds: number;
}

export const slowFetches: Race = {
  purges: volume(40, 200),
  atOnce: 8,
  delayMilliseconds: [30, 60],
  purgeMilliseconds: 60,
};

/** Purges that come when the response is just being stored. */
const fastFetches: Race = {
  purges: volume(150, 2_000),
  atOnce: 16,
  delayMilliseconds: [0, 0],
  purgeMilliseconds: 3,
};

function randomBetween(from: number, to: number): number {
  return from + Math.random() * (to - from);
}

/** How often old content was served after the purge of it was done. */
interface Stale {
  /** At once, while the fetch from before the purge may still be on its way. */
  readonly atOnce: number;
  /** When that fetch was over. */
  readonly later: number;
}

export const raceHostnames = [
  'soft.example',
  ...Array.from({ length: fastFetches.atOnce }, (_, number) => `race-${number}.example`),
];

/** Finer than a timer for a few milliseconds. */
async function wait(milliseconds: number): Promise<void> {
  if (milliseconds > 5) return sleep(milliseconds);
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await new Promise(setImmediate);
}

function purgeOf({ types }: Backend, number: number, hostname: string, target: string): EdgePurge {
  const common = { soft: false, hostnames: [hostname] };
  if (types.tag && number % 3 > 0) return { ...common, type: 'tag', values: ['race'] };
  return types.url ? { ...common, type: 'url', values: [target] } : { ...common, type: 'all', values: [] };
}

/** Purges a page at a random moment of its fetch, and asks for it twice. */
async function purgeDuringFetch(
  { client, origin, purge }: Bench,
  backend: Backend,
  { atOnce, delayMilliseconds: [shortest, longest], purgeMilliseconds }: Race,
  number: number,
): Promise<Stale> {
  const hostname = `race-${number % atOnce}.example`;
  const target = `/${longest}/${number}`;
  const wish = { delayMilliseconds: randomBetween(shortest, longest), headers: { 'surrogate-key': 'race' } };
  const ask = { hostname, target, wish };
  const fetching = client.ask(ask);
  await wait(randomBetween(0, purgeMilliseconds));
  origin.epoch += 1;
  const newest = origin.epoch;
  await purge(purgeOf(backend, number, hostname, target));
  const first = await client.epoch(ask);
  await fetching;
  const second = await client.epoch(ask);
  return { atOnce: first < newest ? 1 : 0, later: second < newest ? 1 : 0 };
}

export async function race(bench: Bench, backend: Backend, shape: Race): Promise<Stale> {
  const stale = { atOnce: 0, later: 0 };
  const workers = Array.from({ length: shape.atOnce }, async (_, worker) => {
    for (let number = worker; number < shape.purges; number += shape.atOnce) {
      const found = await purgeDuringFetch(bench, backend, shape, number);
      stale.atOnce += found.atOnce;
      stale.later += found.later;
    }
  });
  await Promise.all(workers);
  return stale;
}

export function survivesTheRace(bench: () => Bench, backend: Backend): void {
  test('purges, each during a slow fetch: nothing stale once they are done', async () => {
    expect(await race(bench(), backend, slowFetches)).toEqual({ atOnce: 0, later: 0 });
  });

  test('purges, each at about the end of a fetch: nothing stale once they are done', async () => {
    expect(await race(bench(), backend, fastFetches)).toEqual({ atOnce: 0, later: 0 });
  });

  test.runIf(backend.soft)(
    'a soft purge during a fetch does not leave the old content as fresh',
    async () => {
      const ask = { hostname: 'soft.example', target: '/', wish: { delayMilliseconds: 100 } };
      const { response } = await beginFetch(bench(), ask);
      bench().origin.epoch += 1;
      await bench().purge({ type: 'all', soft: true, hostnames: ['soft.example'], values: [] });
      expect(contentOf(await response).epoch).toBe(bench().origin.epoch - 1);
      await eventually(
        () => bench().client.epoch(ask),
        (epoch) => epoch === bench().origin.epoch,
        refreshMilliseconds,
      );
    },
  );
}

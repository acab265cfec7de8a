import { expect, test } from 'vitest';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { PurgeType } from '../../../../shared/purge/purge.ts';
import { useBench } from './bench.ts';
import { canPurge } from './can-purge.ts';
import type { ContractEdge } from './edge-under-test.ts';

const hostname = 'www.refused.example';
const ask = { hostname, target: '/a', wish: { headers: { 'surrogate-key': 'tag' } } };
const values: Readonly<Record<PurgeType, readonly string[]>> = {
  all: [],
  hostname: [hostname],
  url: ['/a'],
  prefix: ['/a'],
  tag: ['tag'],
};

const purges: readonly EdgePurge[] = PurgeType.options.flatMap((type) =>
  [false, true].map((soft) => ({ type, soft, hostnames: [hostname], values: values[type] })),
);

export const refusesTheRest = (backend: ContractEdge): void => {
  const bench = useBench(backend);

  test.each(purges)('$type, soft $soft: done where the backend states it, else refused', async (purge) => {
    await bench().client.ask(ask);
    expect(await bench().client.isHit(ask)).toBe(true);
    if (canPurge(backend, purge)) {
      expect(await bench().purge(purge)).toEqual({ removed: 1 });
    } else {
      await expect(bench().purge(purge)).rejects.toMatchObject({ name: 'EdgeFailure', kind: 'refused' });
      expect(await bench().client.isHit(ask)).toBe(true);
    }
  });
};

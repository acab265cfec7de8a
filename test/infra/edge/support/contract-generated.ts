import { expect, test } from 'vitest';
import { PurgeType } from '../../../../shared/purge/purge.ts';
import { useBench } from './bench.ts';
import { canPurge } from './can-purge.ts';
import type { ContractEdge } from './edge-under-test.ts';
import { generateCases } from './generated-case.ts';
import { tryCases } from './try-cases.ts';

const seed = 20_261_120;

export const agreesWithTheModel = (backend: ContractEdge, count = 2_000): void => {
  const bench = useBench(backend);
  const types = PurgeType.options.filter((type) => canPurge(backend, { type, soft: false }));
  const soft = types.some((type) => canPurge(backend, { type, soft: true }));

  test(`${count} generated cases: nothing stale, nothing over-purged`, { timeout: 60_000 }, async () => {
    const cases = generateCases(count, seed, { types, soft });
    const { tried, ...faults } = await tryCases(bench(), cases, { batchSize: 100, backend });
    expect(faults).toEqual({ stale: [], overPurged: [], notStored: [] });
    expect(tried.stored).toBeGreaterThan(count * (backend.storesVariants ? 4 : 1.5));
    expect(tried.purged).toBeGreaterThan(count * 2);
  });
};

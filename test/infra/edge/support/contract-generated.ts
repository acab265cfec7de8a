import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { volume } from '../../../support/volume.ts';
import type { Bench } from './bench.ts';
import type { BackendUnderTest } from './edge-under-test.ts';
import { generateCases } from './generated-case.ts';
import { tryCases } from './try-cases.ts';

const seed = 20_261_120;

interface Model {
  readonly count?: number;
  readonly refuses?: BackendUnderTest['refuses'];
}

export function agreesWithTheModel(
  bench: () => Bench,
  backend: Backend,
  { count = volume(300, 2_000), refuses = () => false }: Model,
): void {
  test(`${count} generated cases: nothing stale, nothing over-purged`, async () => {
    const cases = generateCases(count, seed, backend).map(({ pages, purge }) => ({
      pages: pages.filter(({ spellings }) => !spellings.some(({ target }) => refuses(target))),
      purge,
    }));
    const { tried, ...faults } = await tryCases(bench(), cases, 100);
    expect(faults).toEqual({ stale: [], overPurged: [], notStored: [] });
    expect(tried.stored).toBeGreaterThan(count * 4);
    expect(tried.purged).toBeGreaterThan(count * 2);
  });
}

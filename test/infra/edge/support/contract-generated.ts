import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { volume } from '../../../support/volume.ts';
import type { Bench } from './bench.ts';
import type { BackendUnderTest } from './edge-under-test.ts';
import { type GeneratedCase, generateCases } from './generated-case.ts';
import type { QueryMode } from './query-modes.ts';
import { tryCases } from './try-cases.ts';

const seed = 20_261_120;

interface Model {
  readonly count?: number;
  readonly refuses?: BackendUnderTest['refuses'];
}

/** Cases without the pages that an edge refuses. */
function servedCases(count: number, backend: Backend, { refuses = () => false }: Model, siblings = 1) {
  return generateCases(count, seed, backend, siblings).map(({ pages, purge }) => ({
    pages: pages.filter(({ spellings }) => !spellings.some(({ target }) => refuses(target))),
    purge,
  }));
}

export function agreesWithTheModel(bench: () => Bench, backend: Backend, model: Model): void {
  const { count = volume(300, 2_000) } = model;
  test(`${count} generated cases: nothing stale, nothing over-purged`, async () => {
    const cases = servedCases(count, backend, model);
    const { tried, ...faults } = await tryCases(bench(), cases, 100);
    expect(faults).toEqual({ stale: [], overPurged: [], notStored: [] });
    expect(tried).toMatchObject({ shared: 0 });
    expect(tried.stored).toBeGreaterThan(count * 4);
    expect(tried.purged).toBeGreaterThan(count * 2);
  });
}

/**
 * The same where a property leaves a part of the query out, with pages that differ by their query alone.
 * @param serve makes the host names of cases known to the edge
 */
export function agreesWithTheModelUnder(
  mode: QueryMode,
  bench: () => Bench,
  backend: Backend,
  { serve, ...model }: Model & { serve(cases: readonly GeneratedCase[]): Promise<void> },
): void {
  const { count = volume(40, 500) } = model;
  test(`${count} generated cases: nothing stale, over-purged only what shares a path`, async () => {
    const cases = servedCases(count, backend, model, 4);
    await serve(cases);
    const { tried, ...faults } = await tryCases(bench(), cases, 100, mode);
    expect(faults).toEqual({ stale: [], overPurged: [], notStored: [] });
    expect(tried.shared > 0).toBe(mode.isPartial);
    expect(tried.purged).toBeGreaterThan(count * 2);
  });
}

import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { volume } from '../../../support/volume.ts';
import type { Bench } from './bench.ts';
import { generateCases } from './generated-case.ts';
import { tryCases } from './try-cases.ts';

const seed = 20_261_120;

export function agreesWithTheModel(bench: () => Bench, backend: Backend, count = volume(300, 2_000)): void {
  test(`${count} generated cases: nothing stale, nothing over-purged`, { timeout: 60_000 }, async () => {
    const { tried, ...faults } = await tryCases(bench(), generateCases(count, seed, backend), 100);
    expect(faults).toEqual({ stale: [], overPurged: [], notStored: [] });
    expect(tried.stored).toBeGreaterThan(count * 4);
    expect(tried.purged).toBeGreaterThan(count * 2);
  });
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeProgress,
  encodeProgress,
  mergeProgress,
  type Progress,
} from '../../../shared/purge/progress.ts';

const edgeProgress = fc.record(
  {
    tier: fc.constantFrom('edge' as const, 'shield' as const),
    status: fc.constantFrom('pending' as const, 'retrying' as const, 'completed' as const, 'failed' as const),
    attempts: fc.nat(),
    removed: fc.nat(),
    lastError: fc.string(),
    completedAt: fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: ['tier', 'status', 'attempts'] },
);

const progress = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), edgeProgress);

test('what is stored is read back the same', () => {
  fc.assert(
    fc.property(progress, (given) => {
      expect(decodeProgress(encodeProgress(given))).toEqual({ ...given });
    }),
  );
});

test('fifty edges take less than a kilobyte', () => {
  const edges: Progress = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [
      `paris-edge-${index}`,
      {
        tier: 'edge',
        status: 'completed',
        attempts: 1 + (index % 3),
        removed: (index * 7919) % 1_000,
        completedAt: new Date(1_790_000_000_000 + index * 37).toISOString(),
      },
    ]),
  );
  expect(encodeProgress(edges).length).toBeLessThan(900);
});

test('two deliveries of one message: what one of them completed stays completed', () => {
  fc.assert(
    fc.property(progress, progress, (stored, latest) => {
      const merged = mergeProgress(stored, latest);
      expect(Object.keys(merged).sort()).toEqual(
        [...new Set([...Object.keys(stored), ...Object.keys(latest)])].sort(),
      );
      for (const [id, edge] of Object.entries(merged)) {
        const isCompleted = [stored[id], latest[id]].some((each) => each?.status === 'completed');
        expect(edge.status === 'completed').toBe(isCompleted);
      }
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Responses } from '../../../shared/delivery/attempt.ts';
import { mergeProgress } from '../../../shared/delivery/merge-progress.ts';
import { decodeProgress, encodeProgress, type Progress } from '../../../shared/purge/progress.ts';

const edgeProgress = fc.record(
  {
    tier: fc.constantFrom('edge' as const, 'shield' as const),
    status: fc.constantFrom('pending' as const, 'retrying' as const, 'completed' as const, 'failed' as const),
    attempts: fc.nat(),
    removed: fc.nat(),
    lastError: fc.string(),
    completedAt: fc.nat(),
    coveredBy: fc.constant('all' as const),
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
        completedAt: 1_790_000_000_000 + index * 37,
      },
    ]),
  );
  expect(encodeProgress(edges).length).toBeLessThan(900);
});

const response = fc.record(
  {
    attempts: fc.nat(),
    removed: fc.nat(),
    at: fc.constant(3),
    failure: fc.record({
      kind: fc.constantFrom('refused' as const, 'denied' as const, 'unreachable' as const),
      message: fc.constant('no'),
    }),
  },
  { requiredKeys: ['attempts', 'at'] },
);

const responded = progress.chain((before) =>
  fc.record({
    before: fc.constant(before),
    knownShields: fc.subarray(Object.keys(before)),
    responses: fc
      .array(fc.tuple(fc.constantFrom(...Object.keys(before), 'another'), response))
      .map((entries): Responses => Object.fromEntries(entries)),
  }),
);

test('what an edge has done stays done, whatever a second delivery of the message saw', () => {
  fc.assert(
    fc.property(responded, ({ before, responses, knownShields }) => {
      const after = mergeProgress(before, responses, knownShields);
      expect(Object.keys(after)).toEqual(Object.keys(before));
      for (const [id, edge] of Object.entries(before)) {
        if (edge.status === 'completed') expect(after[id]?.status).toBe('completed');
      }
    }),
  );
});

test('no edge is newly done unless every shield that counts was known to be done, or was asked before it', () => {
  fc.assert(
    fc.property(responded, ({ before, responses, knownShields }) => {
      const after = Object.entries(mergeProgress(before, responses, knownShields));
      const isAwaited = after.some(([id, { tier, status }]) => {
        const isKnownDone = knownShields.includes(id) || (responses[id] && !responses[id].failure);
        return tier === 'shield' && status !== 'failed' && !(status === 'completed' && isKnownDone);
      });
      const newlyDone = after.filter(
        ([id, { tier, status }]) =>
          tier === 'edge' && status === 'completed' && before[id]?.status !== 'completed',
      );
      if (isAwaited) expect(newlyDone).toEqual([]);
    }),
  );
});

test.each([
  [undefined, 'completed'],
  ['unreachable', 'retrying'],
  ['denied', 'failed'],
  ['refused', 'failed'],
] as const)('a response of failure %s makes an edge %s', (kind, status) => {
  const before: Progress = { e: { tier: 'edge', status: 'pending', attempts: 1 } };
  const at = 1;
  const failure = kind && { kind, message: 'no' };
  const after = mergeProgress(before, { e: { attempts: 2, at, ...(failure && { failure }) } }, []);
  expect(after.e).toMatchObject({ status, attempts: 3 });
});

test.each([
  ['before the shield was known to be done', [], 'pending'],
  ['after it', ['s'], 'completed'],
])('an edge that was asked %s counts as it should', (_, knownShields, status) => {
  const completedAt = 1;
  const before: Progress = {
    s: { tier: 'shield', status: 'completed', attempts: 1, completedAt },
    e: { tier: 'edge', status: 'retrying', attempts: 1 },
  };
  const responses = { e: { attempts: 1, at: 3 } };
  expect(mergeProgress(before, responses, knownShields).e?.status).toBe(status);
});

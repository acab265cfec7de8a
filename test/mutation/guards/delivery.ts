import type { Guard } from '../guard.ts';

const lagging = 'shared/edge/lagging-table.ts';
const merge = 'shared/delivery/merge-progress.ts';
const catchUpTest = 'test/functions/catch-up.test.ts';

/** That every purge comes to every edge, and to shields first. */
export const delivery: readonly Guard[] = [
  {
    name: 'an edge that has done a purge stays done',
    file: merge,
    edits: [["if (before.status === 'completed') return asked;", '']],
    test: 'test/shared/delivery/merge-progress.test.ts',
  },
  {
    name: 'an edge counts after its shield only',
    file: merge,
    edits: [['if (isAfterShields) return after;', 'if (after) return after;']],
    test: 'test/shared/delivery/merge-progress.test.ts',
  },
  {
    name: 'shields are asked first',
    file: 'shared/delivery/fan-out.ts',
    edits: [
      [
        "return { ...(await askTier('shield')), ...(await askTier('edge')) };",
        "const [shields, others] = await Promise.all([askTier('shield'), askTier('edge')]);\n  return { ...shields, ...others };",
      ],
    ],
    test: 'test/shared/delivery/fan-out.test.ts',
  },
  {
    name: 'an asynchronous edge waits for its shield',
    file: 'shared/invalidation/backend-work.ts',
    edits: [['open.filter(({ progress }) => !isWaitingForShield(progress))', 'open']],
    test: 'test/functions/invalidation.test.ts',
    only: 'a message that comes before the shield',
  },
  {
    name: 'a purge is acknowledged when both its message and its record are kept',
    file: 'shared/purge/enqueue.ts',
    edits: [
      ["if (failed?.status !== 'rejected') return;", "if (failed?.status !== 'rejected' || isNew) return;"],
    ],
    test: 'test/functions/purge-consumer.test.ts',
    only: 'with the queue away',
  },
  {
    name: 'a message is acknowledged when what edges missed is kept',
    file: 'functions/purge-consumer.ts',
    edits: [
      [
        'outcomes.map((outcome) => (outcome.missed.length > 0 ? { ...outcome, error } : outcome))',
        'error ? outcomes : []',
      ],
    ],
    test: catchUpTest,
    only: 'cannot be kept',
  },
  {
    name: 'a hint that was bumped meanwhile is not deleted',
    file: 'shared/catch-up/hint-table.ts',
    edits: [
      [
        "deleteItem(hints, keyOf(edgeId, propertyId), compare('version', '=', version))",
        'deleteItem(hints, keyOf(edgeId, propertyId))',
      ],
    ],
    test: catchUpTest,
    only: 'bumped',
  },
  {
    name: 'an edge is caught up by one at a time',
    file: lagging,
    edits: [
      ["        compare('nextAttemptAt', '<=', now.toISOString()),\n", "        present('nextAttemptAt'),\n"],
    ],
    test: catchUpTest,
    only: 'one at a time',
  },
  {
    name: 'an edge whose breaker was opened meanwhile still lags',
    file: lagging,
    edits: [
      [
        "'nextAttemptAt', 'claimedBy'] },\n    allOf<'id' | 'isBreakerOpen'>(present('id'), absent('isBreakerOpen')),",
        "'nextAttemptAt', 'claimedBy'] },\n    present('id'),",
      ],
    ],
    test: catchUpTest,
    only: 'still lags',
  },
];

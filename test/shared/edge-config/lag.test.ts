import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorText, newCursor, parseCursor } from '../../../shared/edge-config/cursor.ts';
import { lagsSince, type Mark, withMark } from '../../../shared/edge-config/lag.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 22);
const counters = fc.array(fc.nat(3), { minLength: 4, maxLength: 4 });

/** What was changed in each of so many minutes, and when the edge stopped to apply it. */
const histories = fc.record({
  changes: fc.array(counters, { minLength: 1, maxLength: 3_000 }),
  stopped: fc.double({ min: 0, max: 1, noNaN: true }),
});

test('an edge lags from the first change that it lacks, at most twice as long as is said', () => {
  fc.assert(
    fc.property(histories, ({ changes, stopped }) => {
      const last = Math.floor(stopped * changes.length);
      let marks: readonly Mark[] = [];
      let written = [0, 0, 0, 0];
      let applied = written;
      let lackingSince: number | undefined;
      changes.forEach((difference, index) => {
        const now = start + index * minute;
        written = written.map((counter, shard) => counter + (difference[shard] ?? 0));
        if (index <= last) applied = written;
        else if (difference.some((each) => each > 0)) lackingSince ??= now;
        marks = withMark(marks, written, new Date(now));
      });
      const now = start + (changes.length - 1) * minute;
      const since = lagsSince({ positions: applied }, marks);
      expect(since === undefined).toBe(lackingSince === undefined);
      expect(marks.length).toBeLessThan(30);
      if (since === undefined || lackingSince === undefined) return;
      const [said, real] = [now - Date.parse(since), now - lackingSince];
      expect(said <= real && (real <= 10 * minute ? said === real : said >= real / 2.5)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('an edge on its way through everything lags from its beginning', () => {
  const marks = [{ at: '2026-11-20T00:00:00.000Z', positions: [2] }];
  const begunAt = '2026-11-22T00:00:00.000Z';
  expect(lagsSince({ positions: [1], begunAt }, marks)).toBe(begunAt);
  expect(lagsSince({ positions: [1] }, marks)).toBe('2026-11-20T00:00:00.000Z');
});

test('a cursor comes back from its text as it was', () => {
  const position = fc.nat(Number.MAX_SAFE_INTEGER % 36 ** 9);
  fc.assert(
    fc.property(fc.array(position, { minLength: 64, maxLength: 64 }), fc.boolean(), (positions, isWhole) => {
      const cursor = { ...newCursor({ accounts: [], properties: [] }, new Date()), positions, isWhole };
      expect(parseCursor(cursorText(cursor))).toEqual(cursor);
    }),
  );
});

import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../../shared/ground/id.ts';
import {
  completionTimeMetric,
  noteCompletion,
  writeCompletionTimes,
} from '../../../shared/purge/completion-times.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What is written of purges that took so many milliseconds each. */
function linesOf(times: readonly number[]): readonly (readonly number[])[] {
  vi.stubEnv('METRIC_NAMESPACE', 'CdnManagement');
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const now = new Date();
  for (const time of times)
    noteCompletion({ propertyId: 'p', id: newId(new Date(now.getTime() - time)) }, {}, now);
  writeCompletionTimes();
  return written.mock.calls.map(([line]) => JSON.parse(String(line))[completionTimeMetric]);
}

test('no line has more values than CloudWatch takes, and nothing is written of nothing', () => {
  const times = Array.from({ length: 250 }, (_, index) => index);
  expect(linesOf(times)).toEqual([times.slice(0, 100), times.slice(100, 200), times.slice(200)]);
  vi.restoreAllMocks();
  expect(linesOf([])).toEqual([]);
});

test('a clock that is behind makes no negative value', () => {
  expect(linesOf([-5, 3])).toEqual([[0, 3]]);
});

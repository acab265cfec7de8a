import { expect, test } from 'vitest';
import { resultOf } from './benchmark.ts';
import { interleaved } from './medians.ts';
import { tableOf } from './report.ts';

test('a goal is met by a ratio of at most the goal', () => {
  expect(resultOf('import', 0.5, { ours: 20, other: 40 })).toEqual({
    name: 'import',
    ours: 20,
    other: 40,
    ratio: 0.5,
    goal: 0.5,
    met: true,
  });
  expect(resultOf('import', 0.5, { ours: 21, other: 40 }).met).toBe(false);
});

test('medians are of turns one after the other, without those of the warm-up', async () => {
  const turns: string[] = [];
  const turn = (name: string, times: readonly number[]) => async (round: number) => {
    turns.push(`${name} ${round}`);
    return times[round + 1] ?? 0;
  };
  const measured = await interleaved(3, turn('ours', [100, 1, 9, 2]), turn('other', [0, 3, 3, 4]), 1);
  expect(measured).toEqual({ ours: 2, other: 3 });
  expect(turns.slice(0, 4)).toEqual(['ours -1', 'other -1', 'ours 0', 'other 0']);
});

test('the table has a line for each', () => {
  const result = resultOf('import', 0.5, { ours: 1_234.56, other: 2_000 });
  expect(tableOf([{ result, unit: 'ms' }])).toBe(
    'name     ours  other  unit  ratio    goal  met\nimport  1,235  2,000    ms   0.62  ≤ 0.50   no',
  );
});

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Benchmark } from './benchmark.ts';

const files = globSync('test/bench/*.ts').filter((file) => !/\/main\.ts$/.test(file));

/** By name: ratio, goal and whether it is met. */
const rows = [
  ...readFileSync('test/bench/README.md', 'utf8').matchAll(
    /^\| `([\w-]+)` \|.*\| ([\d.]+) \| ([\d.]+) \| (yes|no) \|$/gm,
  ),
].map(([, name = '', ratio, goal, met]) => ({ name, ratio: Number(ratio), goal: Number(goal), met }));

test('the table of benchmarks has a row for each, with its goal', async () => {
  const goals = files.map(async (file) => {
    const { benchmark } = (await import(pathToFileURL(join(file)).href)) as { readonly benchmark: Benchmark };
    return [basename(file, '.ts'), benchmark.goal];
  });
  expect(Object.fromEntries(rows.map(({ name, goal }) => [name, goal]))).toEqual(
    Object.fromEntries(await Promise.all(goals)),
  );
});

test('it says of each whether the goal is met', () => {
  for (const { name, ratio, goal, met } of rows)
    expect([name, met]).toEqual([name, ratio <= goal ? 'yes' : 'no']);
});

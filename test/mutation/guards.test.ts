import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withoutGuard } from './guard.ts';
import { guards } from './guards.ts';

test('every guard stands in the source as the list has it, and names a test file that there is', () => {
  for (const guard of guards) {
    const source = readFileSync(guard.file, 'utf8');
    expect([guard.name, withoutGuard(guard, source) !== source, existsSync(guard.test)]).toEqual([
      guard.name,
      true,
      true,
    ]);
  }
});

test('there are 40 guards or more, and each has a name of its own', () => {
  const names = guards.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(40);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

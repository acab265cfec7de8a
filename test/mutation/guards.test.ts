import { existsSync, globSync, readFileSync } from 'node:fs';
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

test('each file of guards is in the list, and each guard has a name of its own', () => {
  const list = readFileSync('test/mutation/guards.ts', 'utf8');
  const listed = [...list.matchAll(/'\.\/(guards\/.+)'/g)].map(([, file]) => file);
  expect(listed.sort()).toEqual(globSync('guards/*.ts', { cwd: 'test/mutation' }).sort());
  const names = guards.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

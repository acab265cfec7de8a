import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nextVersion } from './support/release/next-version.ts';
import { edited } from './support/release/source-tree.ts';

test('what stands for the next version changes the sources as they are', () => {
  const texts = new Map(nextVersion.map(({ file }) => [file, readFileSync(file, 'utf8')]));
  for (const edit of nextVersion) texts.set(edit.file, edited(texts.get(edit.file) ?? '', edit));
  expect(texts.size).toBe(7);
});

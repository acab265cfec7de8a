import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const claims = [...readFileSync('SECURITY.md', 'utf8').matchAll(/`(test\/[\w./-]+)` › (.+?) \|$/gm)].map(
  ([, file = '', title = '']) => [file, title] as const,
);

test('SECURITY.md names a test for each threat', () => {
  expect(claims.length).toBeGreaterThan(15);
});

test.each(claims)('%s has a test ›%s', (file, title) => {
  expect(readFileSync(file, 'utf8')).toContain(title);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  forgetSources,
  hashSources,
  isMadeOf,
  noteSources,
} from '../../../infra/local/synthesis/sources-hash.ts';

test('an assembly is used again only where it was made, whole, of the same sources', () => {
  const assembly = mkdtempSync(join(tmpdir(), 'cdn-management-assembly-'));
  const hash = hashSources();
  expect(hashSources()).toBe(hash);
  expect(isMadeOf(assembly, hash)).toBe(false);
  noteSources(assembly, hash);
  expect([isMadeOf(assembly, hash), isMadeOf(assembly, 'of others')]).toEqual([true, false]);
  forgetSources(assembly);
  expect(isMadeOf(assembly, hash)).toBe(false);
  rmSync(assembly, { recursive: true });
});

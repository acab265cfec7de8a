import { expect, test } from 'vitest';
import { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey } from '../../../shared/auth/api-key.ts';

const keys = Array.from({ length: 2_000 }, generateApiKey);

test('a key is svc_ and 28 characters of the documented set, and the visible prefix its first 8', () => {
  for (const key of keys) {
    expect(key).toMatch(/^svc_[A-Za-z0-9!@#$%&*]{28}$/);
    expect(isApiKey(key)).toBe(true);
    expect(key.startsWith(apiKeyPrefix(key))).toBe(true);
    expect(apiKeyPrefix(key)).toHaveLength(8);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test('characters are drawn without bias', () => {
  const counts = new Map<string, number>();
  for (const character of keys.flatMap((key) => [...key.slice(4)])) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(69);
  const expected = (keys.length * 28) / 69;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 68 degrees of freedom: a fair draw passes 150 once in ten million runs.
  expect(chiSquare).toBeLessThan(150);
});

test('the hash is the SHA-256 of the raw key', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

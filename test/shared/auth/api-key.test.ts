import { expect, test } from 'vitest';
import { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey } from '../../../shared/auth/api-key.ts';

const keys = Array.from({ length: 100_000 }, () => generateApiKey());
const plainKeys = Array.from({ length: 1_000 }, () => generateApiKey({ symbols: false }));

test('a key is svc_ and 28 characters of the documented set, and the visible prefix its first 8', () => {
  const faulty = keys.filter(
    (key) =>
      !/^svc_[A-Za-z0-9!@#$%&*]{28}$/.test(key) || !isApiKey(key) || apiKeyPrefix(key) !== key.slice(0, 8),
  );
  expect(faulty).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});

test('no key holds a percent sign before two hexadecimal digits, and such a key made earlier stays valid', () => {
  expect(keys.filter((key) => /%[0-9A-Fa-f]{2}/.test(key))).toEqual([]);
  expect(keys.some((key) => /%[0-9A-Fa-f][^0-9A-Fa-f]/.test(key))).toBe(true);
  expect(isApiKey('svc_AAAAAAAAAAAA%4fAAAAAAAAAAAAA')).toBe(true);
});

/**
 * What a settings page keeps of a text without markup and line breaks.
 * Source: WordPress, wp-includes/formatting.php, _sanitize_text_fields, which deletes until there is nothing more.
 */
function sanitizeTextField(text: string): string {
  const filtered = text.trim().replace(/%[a-f0-9]{2}/i, '');
  return filtered === text ? text : sanitizeTextField(filtered);
}

/** Source: Fastly's plugin for WordPress, purgely_sanitize_key. */
function sanitizeFastlyKey(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '');
}

test('WordPress leaves every key as it is, and a stricter plugin every key without symbols', () => {
  expect(keys.filter((key) => sanitizeTextField(key) !== key)).toEqual([]);
  const changed = plainKeys.filter(
    (key) => !isApiKey(key) || sanitizeTextField(key) !== key || sanitizeFastlyKey(key) !== key,
  );
  expect(changed).toEqual([]);
});

test.each([
  ['the documented set', keys, 69, 150],
  ['letters and digits', plainKeys, 62, 140],
])('characters of %s are drawn without bias', (_, drawn, size, limit) => {
  const counts = new Map<string, number>();
  for (const character of drawn.slice(0, 2_000).flatMap((key) => [...key.slice(4)])) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(size);
  const expected = (Math.min(drawn.length, 2_000) * 28) / size;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // One degree of freedom less than characters: a fair draw passes the limit once in ten million runs.
  expect(chiSquare).toBeLessThan(limit);
});

test('the hash is the SHA-256 of the raw key', () => {
  expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

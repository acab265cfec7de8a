import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalTarget, canonicalUrl, formatUrl } from '../../../shared/property/canonical-url.ts';

test.each([
  ['/', '/'],
  ['/a%c3%a9', '/a%C3%A9'],
  ['/caf\u00e9', '/caf%C3%A9'],
  ['/a b', '/a%20b'],
  ['/a/../b/./c', '/b/c'],
  ['/a?b&a', '/a?a&b'],
  ['/a?b=2&a=1&b=1', '/a?a=1&b=1&b=2'],
  ['/a?', '/a'],
  ['/a#fragment', '/a'],
  ['/A', '/A'],
  ['/%41', '/%41'],
])('%s becomes %s', (target, canonical) => {
  expect(canonicalTarget(target)).toBe(canonical);
});

test.each([
  ['https://WWW.Example.com:8443/x?y#z', 'https://www.example.com/x?y'],
  ['http://www.example.com/x', 'https://www.example.com/x'],
  ['https://b\u00fccher.example/', 'https://xn--bcher-kva.example/'],
  ['//www.example.com/x', 'https://www.example.com/x'],
  ['//www.example.com:8080/x?b&a#c', 'https://www.example.com/x?a&b'],
  ['//WWW.Example.com', 'https://www.example.com/'],
  ['///www.example.com/x', 'https://www.example.com/x'],
  ['/\\www.example.com\\x', 'https://www.example.com/x'],
  ['https://www.example.com//x', 'https://www.example.com//x'],
  ['/x', '/x'],
  ['/x//y', '/x//y'],
  ['/.//www.example.com/x', '/.//www.example.com/x'],
  ['/x/..//y', '/.//y'],
  ['/%2Fwww.example.com/x', '/%2Fwww.example.com/x'],
])('%s is shown as %s', (text, shown) => {
  const url = canonicalUrl(text);
  expect(url && formatUrl(url)).toBe(shown);
});

test.each([
  '',
  'x',
  'ftp://www.example.com/',
  'https://u:p@www.example.com/',
  'https://192.0.2.1/',
  'http://localhost/',
  '//',
  '///',
  '/\\',
  '//?x',
  '//x',
  '//localhost/x',
  '//192.0.2.1/',
  '//[::1]/',
  '//user@www.example.com/',
  '//www.example.com:x/',
  '//www.example.com%2Fx',
  '\\\\www.example.com/x',
  ' //www.example.com/x',
])('%j is no URL of a property', (text) => {
  expect(canonicalUrl(text)).toBeUndefined();
});

test('what is canonical stays as it is', () => {
  fc.assert(
    fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
      const once = canonicalTarget(`/${path}?${query}`);
      expect(canonicalTarget(once)).toBe(once);
    }),
  );
});

test('what begins with two slashes, or what browsers take for them, is a URL of that host or of none', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        '//',
        '/\\',
        '///',
        '/\\/',
        '//www.example.com',
        '/\\www.example.com',
        '//www.example.com/',
      ),
      fc.oneof(fc.webPath(), fc.domain(), fc.string()),
      (slashes, rest) => {
        const url = canonicalUrl(slashes + rest);
        expect(url).toEqual(canonicalUrl(`https:${slashes}${rest}`));
        if (url) expect(url.hostname).toBeDefined();
      },
    ),
    { numRuns: 1_000 },
  );
});

test('any text is either refused or brought into a form that stays', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      (text) => {
        const url = canonicalUrl(text);
        if (!url) return;
        expect(canonicalUrl(formatUrl(url))).toEqual(url);
        expect(url.target).toMatch(/^\/[\x21-\x7e]*$/);
      },
    ),
    { numRuns: 2_000 },
  );
});

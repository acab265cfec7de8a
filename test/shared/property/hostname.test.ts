import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalHostname, hostnameInUrl } from '../../../shared/property/hostname.ts';

/** What becomes longer or shorter, a dot or nothing, when it becomes a host name. */
const tricky = fc.constantFrom(
  ...['\ufdfa', '\u0130', '\u1e9e', '\u3002', '\uff0e', '\u00ad', '\u200d', '\u0301', '\ufe0f', 'xn--', '-'],
  ...['.', 'a', 'B', '9', 'ü', '文', '😀'],
);
const anyCharacter = fc.oneof(
  { weight: 3, arbitrary: tricky },
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const label = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 70, size: 'max' }), fc.domain());

test('any text is either refused, or a DNS name in lower case of at most 253 characters that stays as it is', () => {
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 6 }), (labels) => {
      const hostname = canonicalHostname(labels.join('.'));
      if (hostname === undefined) return;
      expect(hostname.length).toBeLessThanOrEqual(253);
      expect(hostname).toMatch(/^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/);
      expect(canonicalHostname(hostname)).toBe(hostname);
    }),
    { numRuns: 1_000 },
  );
});

test('a name of few letters that is too long in punycode is refused', () => {
  const grows = `${'ü文'.repeat(15)}.`;
  expect(canonicalHostname(`${grows}example.com`)).toMatch(/^xn--[a-z0-9-]+\.example\.com$/);
  expect(canonicalHostname(`${grows.repeat(6)}example.com`)).toBeUndefined();
  expect(`${grows.repeat(6)}example.com`.length).toBeLessThan(253);
});

test.each([
  ['https://www.example.com', 'www.example.com'],
  ['HTTPS://WWW.Example.com:8443/a?b#c', 'www.example.com'],
  ['ftp://www.example.com/', 'www.example.com'],
  ['//www.example.com/', 'www.example.com'],
  ['www.example.com/', 'www.example.com'],
  ['www.example.com:8080', 'www.example.com'],
  ['https://u:p@www.example.com/', 'www.example.com'],
  ['https://b\u00fccher.example/', 'xn--bcher-kva.example'],
  ['nonsense', undefined],
  ['a b.example.com', undefined],
  ['192.0.2.1', undefined],
  ['https://192.0.2.1/', undefined],
  ['https://localhost/', undefined],
  [`https://www.example.com/${'a'.repeat(2_048)}`, undefined],
  ['', undefined],
  [':', undefined],
])('the host name in %j is %s', (text, hostname) => {
  expect(hostnameInUrl(text)).toBe(hostname);
});

import fc from 'fast-check';

/** What grows when it is escaped or decoded, ends a text of JSON early, or is no UTF-8; in bytes, written as Latin-1. */
const units = [
  'x',
  '"',
  '\\',
  '\\u0000',
  '%22',
  '%00',
  '\xff',
  '\xc3\x28',
  '\xe2\x80\xa8',
  '\xf0\x9f\x98\x80',
  ':-,}',
  '","m":"PURGE","s":200,"hd":"hit","x":"',
];

function textOf(maximumLength: number, more: readonly string[] = []): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...units, ...more), fc.integer({ min: 1, max: maximumLength })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map(([unit, count]) => unit.repeat(count)).join(''))
    .map((text) => text.slice(0, maximumLength));
}

const knownMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'purge');

/** A request that Varnish reads, with all that a visitor can write into a line of the log. */
export function hostileRequestTo(host: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .record({
      method: fc.oneof(knownMethod, textOf(3_500)),
      target: textOf(7_500, ['?', '&a=']).map((text) => `/${text}`),
      host,
    })
    .map(
      ({ method, target, host: name }) =>
        `${method} ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`,
    );
}

export const hostileRequest = hostileRequestTo(textOf(7_500, ['\t', '.', ':0', 'example.com']));

import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/ground/api-error.ts';
import { canonicalValues } from '../../../shared/purge/canonical-values.ts';
import { PurgeRequest } from '../../../shared/purge/purge.ts';

/** Refusals name the first three. */
const hostnames = ['www', 'shop', 'news', 'img', 'api'].map((name) => `${name}.example.com`);
const listed = 'www.example.com, shop.example.com, news.example.com and 2 more';

const ownUrl = `must be an http or https URL on one of the property’s host names (${listed}), or a path starting with one slash`;
const ownHost = `must be one of the property’s host names (${listed})`;

function noWildcard(meant: string): string {
  return `must not end in *, which is no wildcard here: use ${meant}, or write %2A for the character itself`;
}

function valuesOf(body: object): string[] {
  return canonicalValues(PurgeRequest.parse(body), hostnames);
}

function expectRefused(body: object, message: string): void {
  expect(() => valuesOf(body)).toThrow(new ApiError('invalid', `Invalid request: ${message}.`));
}

test.each([
  ['/news/*', 'type prefix with "/news/"'],
  ['/news/**', 'type prefix with "/news/"'],
  ['/news\\*', 'type prefix with "/news/"'],
  ['/news/2026-*', 'type prefix with "/news/"'],
  ['/news/*/comments/*', 'type prefix with "/news/"'],
  ['/news/*?*', 'type prefix with "/news/"'],
  ['/news?*', 'type prefix with "/news"'],
  ['/news?page=*', 'type prefix with "/news"'],
  ['/news/*#top', 'type prefix with "/news/"'],
  ['/caf\u00e9/*', 'type prefix with "/caf%C3%A9/"'],
  ['https://www.example.com/news/*', 'type prefix with "https://www.example.com/news/"'],
  ['//WWW.example.com:80/news/*', 'type prefix with "https://www.example.com/news/"'],
  ['/*', 'type all'],
  ['/new*', 'type all'],
  ['*', 'type all'],
  ['https://www.example.com/*', 'type hostname with "www.example.com"'],
])('%s ends in what is no wildcard: %s is meant', (value, meant) => {
  const fault = `"${value.replace(/([?#]).+/, '$1…')}" ${noWildcard(meant)}`;
  expectRefused({ type: 'url', urls: ['/', value] }, `urls[1] ${fault}`);
  expectRefused({ type: 'prefix', prefixes: value }, `prefixes[0] ${fault}`);
});

test.each(['/a*b', '/a/*/b', '/*/a', '/a%2A', '/%2A', '/a%2Ab*c'])(
  'an asterisk elsewhere, or escaped, is a character: %s',
  (value) => {
    expect(valuesOf({ type: 'url', urls: [value] })).toEqual([value]);
    expect(valuesOf({ type: 'prefix', prefixes: [value] })).toEqual([value]);
  },
);

test.each([
  ['/a?x=*&b', '/a?b&x=*'],
  ['/a?x=*&b=1', '/a?b=1&x=*'],
  ['/a?x=%2a', '/a?x=%2A'],
])('an asterisk elsewhere in a query is a character: %s', (value, canonical) => {
  expect(valuesOf({ type: 'url', urls: [value] })).toEqual([canonical]);
});

test.each([
  ['https://foreign.example/x', 'https://foreign.example/x'],
  ['//foreign.example/x', '//foreign.example/x'],
  ['https://foreign.example/*', 'https://foreign.example/*'],
  ['ftp://www.example.com/', 'ftp://www.example.com/'],
  ['www.example.com/news', 'www.example.com/news'],
  ['news/page', 'news/page'],
  ['//news', '//news'],
  ['//', '//'],
  ['//[::1]/', '//[::1]/'],
  ['https://[::1]/', 'https://[::1]/'],
  // What may be a credential is not repeated.
  ['https://user:secret@www.example.com/', 'https://…@www.example.com/'],
  ['//user@www.example.com/', '//…@www.example.com/'],
  ['https://foreign.example/x?token=secret', 'https://foreign.example/x?…'],
  ['https://foreign.example/x#secret', 'https://foreign.example/x#…'],
  ['svc_7Tq2vB9x!Lm4Wz#8Rk1Np@6Yd3Hs', 'svc_…'],
  // What cannot be seen is not sent back.
  ['x\u202e\u200b\u2028/y', 'x\ufffd\ufffd\ufffd/y'],
  [`https://foreign.example/${'\u{1f600}'.repeat(80)}`, `https://foreign.example/${'\u{1f600}'.repeat(56)}…`],
])('%s is none of the property’s and quoted so that nothing is given away', (value, shown) => {
  expectRefused({ type: 'url', urls: [value, '/fine'] }, `urls[0] "${shown}" ${ownUrl}`);
});

test.each([
  [
    { type: 'url', urls: ['/', 'x', 'y', '/z*', 'https://foreign.example/'] },
    `urls[1] "x", urls[2] "y", urls[4] "https://foreign.example/" ${ownUrl}; urls[3] "/z*" ${noWildcard('type all')}`,
  ],
  [
    { type: 'url', urls: 'a|b|c|d|e|f|g' },
    `urls[0] "a", urls[1] "b", urls[2] "c", urls[3] "d", urls[4] "e" ${ownUrl}; and 2 more`,
  ],
  [
    { type: 'prefix', prefixes: ['/a?b', '//foreign.example/'] },
    `prefixes[0] "/a?…" must not hold a query: a prefix takes what lies under it with any query; prefixes[1] "//foreign.example/" ${ownUrl}`,
  ],
  [
    { type: 'tag', tags: ['a', 'b c'] },
    'tags[1] "b c" must be a tag of printable ASCII characters without white space and comma',
  ],
  [
    { type: 'hostname', hostnames: ['www.example.com', 'foreign.example', '*.example.com'] },
    `hostnames[1] "foreign.example", hostnames[2] "*.example.com" ${ownHost}`,
  ],
  [
    { type: 'hostname', hostnames: ['https://WWW.example.com/news', 'www.example.com:8080'] },
    'hostnames[0] "https://WWW.example.com/news", hostnames[1] "www.example.com:8080" must be a host name, not a URL: send www.example.com',
  ],
  [
    { type: 'hostname', hostnames: ['https://u:p@foreign.example/?x'] },
    'hostnames[0] "https://…@foreign.example/?…" must be a host name, not a URL: send foreign.example',
  ],
])('%j is refused as a whole', (body, message) => {
  expectRefused(body, message);
});

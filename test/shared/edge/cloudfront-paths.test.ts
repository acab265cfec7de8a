import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invalidationPaths } from '../../../shared/edge/cloudfront-paths.ts';
import type { PurgeType } from '../../../shared/ground/purge-type.ts';
import { canonicalTarget } from '../../../shared/property/canonical-url.ts';

const hostnames = ['www.example.com', 'example.com'];

function pathsOf(type: PurgeType, ...values: string[]) {
  return invalidationPaths({ type, soft: false, hostnames, values });
}

test.each([
  [['/'], ['/']],
  [['/a/b.html'], ['/a/b.html']],
  [['https://www.example.com/a', 'https://example.com/a', '/a'], ['/a']],
  [['/a?page=2'], ['/a', '/a?page=2']],
  [['/a?page=2&sort=up'], ['/a', '/a?*']],
  [
    ['/a?page=2', '/a?page=3&sort=up'],
    ['/a', '/a?*'],
  ],
  [['/a/my%20song%20%231.mp3'], ['/a/my%20song%20%231.mp3']],
  [['/a/caf%C3%A9/b?x=1'], ['/a/caf*']],
  [['/a?x=%C3%A9'], ['/a', '/a?x=*']],
  [['/caf%C3%A9'], ['/caf*']],
  [['/%C3%A9'], ['/*']],
  [['/a/%41'], ['/a/*']],
  [['/a/100%'], ['/a/100*']],
  [['/~anna/b'], ['/*']],
  [['/a/~b'], ['/a/*']],
  [['/a/b*c'], ['/a/b*']],
  [['/a/b*'], ['/a/b*']],
  [['/a/b|c', '/a/b[1]'], ['/a/b*']],
  [['/a/%2A'], ['/a/*']],
])('URLs %j become %j', (values, paths) => {
  expect(pathsOf('url', ...values)).toEqual(paths);
});

test('a path longer than CloudFront takes is cut, and never within an escape', () => {
  const long = (length: number) => `/${'a'.repeat(length - 1)}`;
  expect(pathsOf('url', long(4_000))).toEqual([long(4_000)]);
  expect(pathsOf('url', long(4_001))).toEqual([`${long(3_999)}*`]);
  expect(pathsOf('url', `${long(3_998)}%20`)).toEqual([`${long(3_998)}*`]);
});

test.each([
  [['/'], ['/*']],
  [['/a/'], ['/a/*']],
  [['/a'], ['/a', '/a/*', '/a?*']],
  [['/a/caf%C3%A9'], ['/a/caf*']],
  [
    ['/a', '/a/b', '/a/b/c/'],
    ['/a', '/a/*', '/a?*'],
  ],
  [['https://www.example.com/a/', 'https://example.com/a/'], ['/a/*']],
])('prefixes %j become %j', (values, paths) => {
  expect(pathsOf('prefix', ...values)).toEqual(paths);
});

test('all, and any host name, are the whole distribution: its paths hold no host name', () => {
  expect([pathsOf('all'), pathsOf('hostname', 'www.example.com')]).toEqual([['/*'], ['/*']]);
});

function covers(paths: readonly string[], sent: string): boolean {
  return paths.some((path) => (path.endsWith('*') ? sent.startsWith(path.slice(0, -1)) : sent === path));
}

function wide(paths: readonly string[]) {
  return paths.filter((path) => path.endsWith('*'));
}

test('as many wildcards as CloudFront takes at a time are left as they are', () => {
  const directories = Array.from('abcdefghijklmnop', (letter) => `/${letter}/`);
  expect(pathsOf('prefix', ...directories.slice(0, 15))).toHaveLength(15);
  expect(pathsOf('prefix', ...directories)).toEqual(['/*']);
});

test('more wildcards than CloudFront takes at a time are put together where they have most in common', () => {
  const months = Array.from({ length: 12 }, (_, index) => `/news/2026/${index + 10}/`);
  const others = ['/a/', '/b/', '/c/', '/d/', '/news/2025/'];
  expect(pathsOf('prefix', ...months, ...others)).toEqual([
    ...others.slice(0, 4).map((path) => `${path}*`),
    '/news/2025/*',
    '/news/2026/1*',
    '/news/2026/20/*',
    '/news/2026/21/*',
  ]);
});

test('more URLs than CloudFront takes at a time become what they have in common', () => {
  const pages = Array.from({ length: 3_001 }, (_, index) => `/shop/item%20${index}`);
  expect(pathsOf('url', ...pages.slice(0, 3_000))).toHaveLength(3_000);
  expect(pathsOf('url', ...pages)).toEqual(['/shop/item%20*']);
});

/** Characters that clients send both bare and escaped, and that the canonical form escapes. */
const bare = fc.constantFrom('"', '<', '>', '`', '{', '}', "'", '^', '\u00e9', '\u65e5', '\u{1f600}');
const safe = fc.constantFrom(...'abcXYZ019-._!$()+,;:@%20%23%25%41*~|[]='.split(/(%\w\w|.)/).filter(Boolean));
const word = fc.array(fc.oneof({ weight: 4, arbitrary: safe }, bare), { minLength: 1, maxLength: 6 });
const segment = word.map((parts) => parts.join('')).filter((text) => !/^(?:\.|%2e){1,2}$/i.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
const query = fc.array(segment, { maxLength: 3 });
const target = fc
  .tuple(path, query)
  .map(([text, parameters]) =>
    canonicalTarget(parameters.length > 0 ? `${text}?${parameters.join('&')}` : text),
  );

/** A way to write the same: the escapes in any case or bare, the parameters in any order. */
function spelling(canonical: string): fc.Arbitrary<string> {
  const [path = '', search = ''] = canonical.split(/\?(.*)/s);
  const isSame = (text: string) => canonicalTarget(text) === canonical;
  return fc
    .tuple(
      fc.infiniteStream(fc.nat({ max: 3 })),
      fc.shuffledSubarray(search.split('&'), { minLength: search.split('&').length }),
    )
    .map(([choices, parameters]) => {
      const text = search === '' ? path : `${path}?${parameters.join('&')}`;
      return text.replace(/(?:%[0-9A-F]{2})+/g, (escapes) => {
        const choice = choices.next().value;
        if (choice === 0) return escapes.toLowerCase();
        if (choice === 1)
          return escapes.replace(/[A-F]/g, (hex) => (choices.next().value > 1 ? hex : hex.toLowerCase()));
        return choice === 2 ? bareOf(escapes) : escapes;
      });
    })
    .filter((text) => !/[\s#]/.test(text) && isSame(text));
}

function bareOf(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
}

const spelled = target.chain((canonical) => fc.tuple(fc.constant(canonical), spelling(canonical)));

test('every spelling of a URL is covered', () => {
  fc.assert(
    fc.property(spelled, fc.array(target, { maxLength: 30 }), ([canonical, sent], others) => {
      const paths = pathsOf('url', canonical, ...others);
      expect([paths, sent, covers(paths, sent)]).toEqual([paths, sent, true]);
      expect(wide(paths).length).toBeLessThanOrEqual(15);
    }),
    { numRuns: 3_000 },
  );
});

test('every spelling below a prefix is covered', () => {
  fc.assert(
    fc.property(spelled, fc.nat({ max: 4 }), fc.boolean(), ([canonical, sent], depth, isDirectory) => {
      const segments = canonical.split('?')[0]?.split('/') ?? [];
      const isBelow = depth + 1 < segments.length && (isDirectory || depth === 0);
      const paths = pathsOf('prefix', `${segments.slice(0, depth + 1).join('/')}${isBelow ? '/' : ''}`);
      expect([paths, sent, covers(paths, sent)]).toEqual([paths, sent, true]);
    }),
    { numRuns: 3_000 },
  );
});

const plainSegment = fc.stringMatching(/^[a-zA-Z0-9._-]{1,8}$/).filter((text) => !/^\.{1,2}$/.test(text));

test('behind a first segment without odd characters, no other first segment is covered', () => {
  fc.assert(
    fc.property(plainSegment, target, plainSegment, target, (first, rest, other, below) => {
      fc.pre(first !== other);
      for (const type of ['url', 'prefix'] as const) {
        const paths = pathsOf(
          type,
          canonicalTarget(`/${first}${type === 'url' ? rest : (rest.split('?')[0] ?? '')}`),
        );
        expect([paths, covers(paths, `/${other}${below}`)]).toEqual([paths, false]);
        expect([paths, covers(paths, `/${other}`)]).toEqual([paths, false]);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a URL that CloudFront can tell exactly takes nothing else but the path without its query', () => {
  fc.assert(
    fc.property(plainSegment, plainSegment, target, (first, parameter, other) => {
      const canonical = `/${first}?${parameter}`;
      fc.pre(other !== canonical && other !== `/${first}`);
      expect(covers(pathsOf('url', canonical), other)).toBe(false);
    }),
  );
});

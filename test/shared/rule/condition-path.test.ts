import fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditionPath } from '../../../shared/rule/condition-path.ts';

test.each([
  ['/', '/'],
  ['//', '/'],
  ['/%61dmin', '/admin'],
  ['//admin', '/admin'],
  ['/a///b//', '/a/b/'],
  ['/%7Euser%2dx%5Fy%2E', '/~user-x_y.'],
  ['/a%2fb%3a', '/a%2Fb%3A'],
  ['/caf\u00e9/"<', '/caf%C3%A9/%22%3C'],
  ['/%c3%a9', '/%C3%A9'],
  ['/%2561', '/%2561'],
  ['/100%/%zz', '/100%/%zz'],
  ['/a?b//c', '/a'],
  ['/a#b', '/a'],
  ['/a?../..\\', '/a'],
  ['/.well-known/...', '/.well-known/...'],
  ['/a./.b..', '/a./.b..'],
])('conditions see %s as %s', (target, path) => {
  expect(conditionPath(target)).toBe(path);
});

test.each([
  '/.',
  '/..',
  '/./a',
  '/x/../admin',
  '/x/%2e%2e/admin',
  '/x/.%2E/admin',
  '/x/%2e/admin',
  '//..//admin',
  '/x/..?a',
  '/x/..#a',
  '/x#/../admin',
  '/x/..%2Fadmin',
  '/x%2f..%2fadmin',
  '/x/..%5cadmin',
  '/\\admin',
  '\\admin',
  '/a\\',
  '*',
  '',
  'admin',
  'http://www.example.com/',
])('%j is refused', (target) => {
  expect(conditionPath(target)).toBeUndefined();
});

const unreserved = 'ABCXYZabcxyz0189-._~';
const pieces = ['/', '/', '.', '.', '%2e', '%2E', 'a', 'Z', '-', '~', '%2F', '%5c', '\\', '%', '%C3%BC'];
const written = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `/${parts.join('')}`);

test('what has a dot segment in any spelling, or a backslash, is refused, and nothing else', () => {
  fc.assert(
    fc.property(written, (target) => {
      const segments = target.replaceAll(/%2e/gi, '.').split(/\/|%2f|%5c/i);
      const isRefused = target.includes('\\') || segments.includes('.') || segments.includes('..');
      expect(conditionPath(target) === undefined).toBe(isRefused);
    }),
    { numRuns: 3_000 },
  );
});

test('what is not refused is the same path to a browser', () => {
  fc.assert(
    fc.property(written, (target) => {
      const path = conditionPath(target);
      if (path === undefined) return;
      const { pathname } = new URL(`http://host${target}`);
      expect(conditionPath(pathname)).toBe(path);
      expect(new URL(`http://host${path}`).pathname).toBe(path);
    }),
    { numRuns: 1_000 },
  );
});

test('every spelling of a path is one to conditions', () => {
  const segment = fc
    .array(fc.constantFrom(...unreserved), { minLength: 1, maxLength: 4 })
    .map((characters) => characters.join(''))
    .filter((text) => text !== '.' && text !== '..');
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(3), { minLength: 20, maxLength: 20 }),
      (segments, ways) => {
        const path = `/${segments.join('/')}`;
        const spelled = Array.from(path, (character, index) => spelling(character, ways[index] ?? 0));
        expect(conditionPath(spelled.join(''))).toBe(path);
      },
    ),
    { numRuns: 1_000 },
  );
});

function spelling(character: string, way: number): string {
  if (character === '/') return '/'.repeat(way + 1);
  const hex = character.charCodeAt(0).toString(16);
  return [character, character, `%${hex}`, `%${hex.toUpperCase()}`][way] ?? character;
}

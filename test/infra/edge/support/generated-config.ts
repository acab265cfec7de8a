import fc from 'fast-check';
import type { ConfigDocument } from '../../../../shared/edge-config/document.ts';
import type { Action } from '../../../../shared/rule/action.ts';
import { type CompiledRule, compileRules } from '../../../../shared/rule/compiled-rule.ts';
import type { Condition } from '../../../../shared/rule/condition.ts';
import { conflicts } from '../../../../shared/rule/conflicts.ts';
import type { Rule } from '../../../../shared/rule/rule.ts';
import type { Wish } from './test-origin.ts';
import { words } from './words.ts';

/** A property's rules and settings, a request to it, and what the origin responds. */
export interface ConfigCase {
  readonly rules: readonly CompiledRule[];
  readonly cache: ConfigDocument['cache'];
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly wish: Wish;
}

const seconds = fc.constantFrom(0, 60, 300);
const headerName = fc.constantFrom(
  'X-A',
  'x-a',
  'X-B',
  'Accept-Language',
  'Cookie',
  'Range',
  'X-Forwarded-Host',
);
const text = fc.constantFrom('1', 'two', 'a=1; b=2');
const paths = words('/ /a /b/c.css /%61 //a /a/ /%C3%BC /a%2fb /A');

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constantFrom('cacheTtl', 'browserTtl'), seconds }),
  fc.record({ type: fc.constantFrom('bypassCache', 'forceHttps', 'block') }),
  fc.record({
    type: fc.constant('ignoreQueryString'),
    names: fc.constantFrom<string[][]>(['a'], ['b', 'ü']),
  }),
  fc.record({ type: fc.constant('ignoreQueryString') }),
  fc.record({
    type: fc.constant('redirect'),
    location: fc.constantFrom('/to', 'https://other.example/x?y'),
    status: fc.constantFrom(301, 307),
  }),
  fc.record({ type: fc.constant('rewritePath'), path: fc.constantFrom('/new', '/%6eew//x') }),
  fc.record({
    type: fc.constantFrom('setRequestHeader', 'setResponseHeader'),
    name: headerName,
    value: text,
  }),
  fc.record({ type: fc.constantFrom('removeRequestHeader', 'removeResponseHeader'), name: headerName }),
);

const comparison = fc.constantFrom('equals', 'prefix', 'suffix', 'contains', 'wildcard');

function compared<Field extends string>(field: Field, values: readonly string[]) {
  const value = fc.constantFrom(...values, `*${values[0]}`, '?*');
  const someValues = fc.array(value, { minLength: 1, maxLength: 2 });
  return { field: fc.constant(field), operator: comparison, values: someValues, negate: fc.boolean() };
}

function named<Field extends string>(field: Field, names: readonly string[], values: readonly string[]) {
  return { ...compared(field, values), name: fc.constantFrom(...names) };
}

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record(compared('path', [...paths, '/ü', 'c.css'])),
  fc.record(compared('extension', ['css', '.CSS', 'js'])),
  fc.record(compared('method', ['GET', 'post'])),
  fc.record(compared('scheme', ['http', 'https'])),
  fc.record(compared('host', ['www', '.EXAMPLE'])),
  fc.record(named('query', ['a', 'ü'], ['1', 'a b', ''])),
  fc.record(named('header', ['X-A', 'x-a', 'Accept-Language'], ['1', 'é'])),
  fc.record(named('cookie', ['a', 'b'], ['1', '2'])),
  fc.record({
    field: fc.constantFrom('query', 'cookie'),
    name: fc.constantFrom('a', 'b'),
    operator: fc.constant('exists'),
    negate: fc.boolean(),
  }),
);

function withoutConflicts(actions: readonly Action[]): readonly Action[] {
  const refused = new Set(conflicts(actions).map(({ index }) => index));
  return actions.filter((_, index) => !refused.has(index));
}

/** Rules with the actions of this file. */
export function rulesWith(condition: fc.Arbitrary<Condition>): fc.Arbitrary<readonly CompiledRule[]> {
  return fc.array(ruleWith(condition), { maxLength: 5 }).map(compileRules);
}

const ruleWith = (condition: fc.Arbitrary<Condition>): fc.Arbitrary<Rule> =>
  fc.record({
    id: fc.constantFrom('one', 'two', 'three'),
    name: fc.constant('Rule'),
    enabled: fc.constantFrom(true, true, true, false),
    priority: fc.nat(3),
    match: fc.constantFrom('all', 'any'),
    conditions: fc.array(condition, { maxLength: 2 }),
    actions: fc
      .array(action, { minLength: 1, maxLength: 4 })
      .map((actions) => [...withoutConflicts(actions)]),
    stop: fc.constantFrom(false, false, false, true),
    version: fc.constant(1),
    createdAt: fc.constant('2026-01-01T00:00:00.000Z'),
    updatedAt: fc.constant('2026-01-01T00:00:00.000Z'),
  });

export const cacheSettings: fc.Arbitrary<ConfigDocument['cache']> = fc.record({
  ttlSeconds: seconds,
  browserTtlSeconds: fc.constantFrom(null, 0, 60),
  staleWhileRevalidateSeconds: seconds,
  staleIfErrorSeconds: seconds,
  queryString: fc.record({
    mode: fc.constantFrom('include', 'ignore', 'allow', 'deny'),
    names: fc.constantFrom([], ['a'], ['b', 'ü']),
  }),
});

const query = fc
  .array(fc.constantFrom('a=1', 'a=a+b', 'b', '%C3%BC=1', 'c=%zz', '%61=1'), { maxLength: 3 })
  .map((parameters) => (parameters.length > 0 ? `?${parameters.join('&')}` : ''));

const wish: fc.Arbitrary<Wish> = fc.constantFrom<Wish[]>(
  {},
  {},
  { headers: { 'cache-control': 'max-age=60', 'x-a': 'origin' } },
  { headers: { 'cache-control': 'no-cache' } },
  { headers: { 'cache-control': 'private, max-age=5' } },
  { headers: { 'set-cookie': 'a=b' } },
);

export const configCase: fc.Arbitrary<ConfigCase> = fc.record({
  rules: rulesWith(condition),
  cache: cacheSettings,
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  target: fc.tuple(fc.constantFrom(...paths), query).map((parts) => parts.join('')),
  headers: fc.record(
    { 'X-A': fc.constantFrom('1', 'é'), 'Accept-Language': text, Cookie: fc.constantFrom('a=1', 'b=2; a=2') },
    { requiredKeys: [] },
  ),
  wish,
});

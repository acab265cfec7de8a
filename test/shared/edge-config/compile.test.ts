import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from '../../../shared/edge-config/compile.ts';
import type { Property } from '../../../shared/property/property.ts';
import type { Action } from '../../../shared/rule/action.ts';
import { Condition } from '../../../shared/rule/condition.ts';
import { conflicts } from '../../../shared/rule/conflicts.ts';
import { evaluate } from '../../../shared/rule/evaluate.ts';
import type { Rule } from '../../../shared/rule/rule.ts';
import { testedRequest } from '../../../shared/rule/test-request.ts';
import { evaluatedByHand, type WrittenRequest } from './evaluated-by-hand.ts';

const createdAt = '2026-01-02T03:04:05.006Z';
const property: Property = {
  id: 'p',
  name: 'Shop',
  hostnames: ['www.example.com', 'example.com'],
  origin: { url: 'https://origin.example.com', hostHeader: 'shop.example.com' },
  status: 'paused',
  cache: {
    ttlSeconds: 60,
    browserTtlSeconds: null,
    staleWhileRevalidateSeconds: 1,
    staleIfErrorSeconds: 2,
    queryString: { mode: 'allow', names: ['a'] },
  },
  createdAt,
  updatedAt: createdAt,
  version: 3,
};

function rule(id: string, changes: Partial<Rule>): Rule {
  return {
    ...{ id, name: `Rule ${id}`, enabled: true, priority: 10, match: 'all', stop: false },
    ...{ conditions: [], actions: [{ type: 'forceHttps' }], version: 1, createdAt, updatedAt: createdAt },
    ...changes,
  };
}

test('a document holds the property, when its host names were claimed, and its enabled rules in order', () => {
  const values = ['//%41/ü'];
  const document = compile(
    property,
    [
      rule('c', { priority: 20, actions: [{ type: 'block' }] }),
      rule('b', {
        match: 'any',
        conditions: [
          { field: 'path', operator: 'prefix', values, negate: true },
          { field: 'header', name: 'X-Kind', operator: 'equals', values: ['Ü'] },
          { field: 'header', name: 'X-Kind', operator: 'exists' },
          { field: 'extension', operator: 'equals', values: ['.JPG'] },
        ],
      }),
      rule('d', { priority: 0, enabled: false }),
      rule('a', { match: 'any', stop: true }),
    ],
    { accountId: 'account', version: 7, claimedAt: { 'example.com': 5 } },
  );
  const { id, name, createdAt: _, updatedAt: __, version: ___, hostnames: ____, ...settings } = property;
  expect(document).toEqual({
    ...settings,
    propertyId: id,
    accountId: 'account',
    version: 7,
    hostnames: [
      { hostname: 'www.example.com', claimedAt: Date.parse(createdAt) },
      { hostname: 'example.com', claimedAt: 5 },
    ],
    rules: [
      {
        ...{ id: 'a', name: 'Rule a', match: 'all', conditions: [], isFinal: true },
        actions: [{ type: 'forceHttps' }],
      },
      {
        ...{ id: 'b', name: 'Rule b', match: 'any', isFinal: false },
        conditions: [
          { field: 'path', operator: 'prefix', values: ['/A/%C3%BC'], negate: true },
          { field: 'header', name: 'x-kind', operator: 'equals', values: ['Ü'] },
          { field: 'header', name: 'x-kind', operator: 'exists' },
          { field: 'extension', operator: 'equals', values: ['jpg'] },
        ],
        actions: [{ type: 'forceHttps' }],
      },
      {
        ...{ id: 'c', name: 'Rule c', match: 'all', conditions: [], isFinal: true },
        actions: [{ type: 'block' }],
      },
    ],
  });
});

test('a rule from before they were refused sets no header that only edges and connections decide on', () => {
  const kept = { type: 'setRequestHeader', name: 'X-CDNA', value: '1' } as const;
  const actions: Action[] = [
    { type: 'setRequestHeader', name: 'X-CDN-Ttl', value: '1' },
    { type: 'setResponseHeader', name: 'x-origin-host', value: '1' },
    { type: 'removeRequestHeader', name: 'X-Origin-Url' },
    { type: 'removeResponseHeader', name: 'x-cdn-' },
    { type: 'setResponseHeader', name: 'Content_Length', value: '3' },
    { type: 'setResponseHeader', name: 'transfer-encoding', value: 'chunked' },
    { type: 'setRequestHeader', name: 'X_Cdn-Site', value: 'other' },
    kept,
  ];
  const { rules } = compile(property, [rule('a', { actions })], { accountId: 'account', version: 1 });
  expect(rules[0]?.actions).toEqual([kept]);
});

const segments = ['a', 'A', '%61', 'b.jpg', 'b%2eJPG', 'ü', '%c3%bc', 'x%2fy', '~', '%7E', '100%', 'a b', ''];
const aPath = fc
  .array(fc.constantFrom(...segments), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join('/')}`);
const aPair = fc.constantFrom('a=1', 'a=2', 'b=x+y', 'b=x%20y', 'c', 'a=%31', '%61=3', '');
const aRequest: fc.Arbitrary<WrittenRequest> = fc.record({
  scheme: fc.constantFrom('http', 'HTTPS'),
  host: fc.constantFrom('www.example.com', 'WWW.Example.com:8080', 'example.com'),
  method: fc.constantFrom('GET', 'get', 'POST'),
  path: aPath,
  query: fc.option(
    fc.array(aPair, { maxLength: 3 }).map((pairs) => pairs.join('&')),
    { nil: undefined },
  ),
  headers: fc
    .array(
      fc.constantFrom<readonly [string, string]>(
        ['X-Kind', 'Mobile'],
        ['x-kind', 'mobile'],
        ['Cookie', 'a=1; b = 2;c'],
        ['cookie', 'a=3'],
        ['Host', 'other.example'],
      ),
      { maxLength: 3 },
    )
    .map((headers) => [...new Map(headers)]),
});

const negate = fc.constantFrom({}, {}, { negate: true }, { negate: false });
const words = [
  'other.example',
  '1',
  '2',
  '3',
  'x y',
  'Mobile',
  '?',
  '*',
  '*o*',
  'M*e',
  'mobile',
  'www.EXAMPLE.com',
  '.com',
];
const ofPath = ['/', '/*', '/a', '//a', '*/b.jpg', 'ü*', '/?', '/%61/', '%C3', '%2F', '*%2E*', '~', '/100%'];
const aCondition = fc
  .record({
    field: fc.constantFrom(
      'path',
      'path',
      'host',
      'scheme',
      'method',
      'extension',
      'query',
      'header',
      'cookie',
    ),
    operator: fc.constantFrom('equals', 'prefix', 'suffix', 'contains', 'wildcard', 'exists'),
    name: fc.constantFrom('a', 'b', 'c', 'A', 'X-Kind', 'x-kind', 'HOST'),
    values: fc.array(
      fc.oneof(fc.constantFrom(...words, ...ofPath, 'HTTP', 'https', 'get', 'jpg', '.Jpg', 'JP?'), aPath),
      { minLength: 1, maxLength: 3 },
    ),
    negate,
  })
  .map(({ field, operator, name, values, negate: inverted }) =>
    Condition.parse({
      ...{ field, operator, ...inverted },
      ...(['query', 'header', 'cookie'].includes(field) && { name }),
      ...(operator !== 'exists' && { values }),
    }),
  );

const name = fc.constantFrom('X-A', 'x-a', 'X-B');
const value = fc.constantFrom('1', '2');
const anAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constantFrom('cacheTtl', 'browserTtl'), seconds: fc.nat(2) }),
  fc.record({ type: fc.constantFrom('bypassCache', 'forceHttps') }),
  fc.record({ type: fc.constantFrom('setRequestHeader', 'setResponseHeader'), name, value }),
  fc.record({ type: fc.constantFrom('removeRequestHeader', 'removeResponseHeader'), name }),
  fc.record({ type: fc.constant('rewritePath'), path: fc.constantFrom('/x', '/y') }),
  fc.constantFrom<Action>({ type: 'ignoreQueryString' }, { type: 'ignoreQueryString', names: ['a'] }),
  fc.constantFrom<Action>({ type: 'block' }, { type: 'redirect', location: '/x', status: 301 }),
);
const aRule = fc.record({
  enabled: fc.constantFrom(true, true, true, false),
  priority: fc.nat(3),
  match: fc.constantFrom('all', 'any'),
  stop: fc.constantFrom(false, false, false, true),
  conditions: fc.array(aCondition, { maxLength: 2 }),
  actions: fc
    .array(anAction, { minLength: 1, maxLength: 3 })
    .filter((actions) => conflicts(actions).length === 0),
});
const someCache = fc.record({
  ttlSeconds: fc.nat(2),
  browserTtlSeconds: fc.constantFrom(null, 0, 1),
  staleWhileRevalidateSeconds: fc.constant(0),
  staleIfErrorSeconds: fc.constant(0),
  queryString: fc.record({
    mode: fc.constantFrom('include', 'ignore', 'allow', 'deny'),
    names: fc.constantFrom<string[][]>([], ['a'], ['b', 'c']),
  }),
});

test('a document that was JSON on its way is evaluated as its rules read', () => {
  fc.assert(
    fc.property(fc.array(aRule, { maxLength: 6 }), someCache, aRequest, (settings, cache, written) => {
      const rules = settings.map((each, index) => rule(`r${settings.length - index}`, each));
      const document = JSON.parse(
        JSON.stringify(compile({ ...property, cache }, rules, { accountId: 'account', version: 1 })),
      );
      const { scheme, host, path, query, method, headers } = written;
      const url = `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`;
      const request = testedRequest(
        { url, method, headers: Object.fromEntries(headers) },
        property.hostnames,
      );
      expect(evaluate(document, request)).toEqual(evaluatedByHand(rules, cache, written));
    }),
    { numRuns: 2_000 },
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Property } from '../../../shared/property/property.ts';
import type { Action } from '../../../shared/rule/action.ts';
import { compileRules } from '../../../shared/rule/compiled-rule.ts';
import type { Condition } from '../../../shared/rule/condition.ts';
import { conflicts } from '../../../shared/rule/conflicts.ts';
import { type Evaluation, evaluate } from '../../../shared/rule/evaluate.ts';
import type { Outcome } from '../../../shared/rule/outcome.ts';
import type { Rule } from '../../../shared/rule/rule.ts';
import { testedRequest } from '../../../shared/rule/test-request.ts';
import { cpuMillisecondsOf } from '../../support/cpu-time.ts';

const cache: Property['cache'] = {
  ttlSeconds: 3600,
  browserTtlSeconds: 7,
  staleWhileRevalidateSeconds: 0,
  staleIfErrorSeconds: 0,
  queryString: { mode: 'include', names: [] },
};

function requestFor(target: string) {
  return testedRequest({ url: `http://www.example.com${target}`, method: 'GET', headers: {} }, [
    'www.example.com',
  ]);
}

let rules = 0;

function rule(changes: Partial<Rule>): Rule {
  return {
    id: `r${++rules}`,
    name: `Rule ${rules}`,
    enabled: true,
    priority: rules,
    match: 'all',
    conditions: [],
    actions: [],
    stop: false,
    version: 1,
    createdAt: '',
    updatedAt: '',
    ...changes,
  };
}

function evaluated(inOrder: readonly Rule[], target: string, settings = cache): Evaluation {
  return evaluate({ rules: compileRules(inOrder), cache: settings }, requestFor(target));
}

function outcomeOf(...lists: readonly (readonly Action[])[]): Outcome {
  return evaluated(
    lists.map((actions) => rule({ actions: [...actions] })),
    '/a?x=1&y=2',
  ).treatment;
}

const untouched: Outcome = {
  cacheTtlSeconds: 3600,
  browserTtlSeconds: 7,
  bypass: false,
  block: false,
  forceHttps: false,
  ignoreQueryString: false,
  redirect: null,
  path: null,
  requestHeaders: {},
  responseHeaders: {},
  cacheTtlOverridesOrigin: false,
};

test('without rules the property’s cache settings decide', () => {
  expect(outcomeOf()).toEqual(untouched);
});

test('browsers keep as the origin says where nothing decides; 0 of the property or of a rule is a 0', () => {
  const asOrigin = { ...cache, browserTtlSeconds: null };
  const never = rule({ actions: [{ type: 'browserTtl', seconds: 0 }] });
  expect(evaluated([], '/', asOrigin).treatment.browserTtlSeconds).toBeNull();
  expect(evaluated([], '/', { ...cache, browserTtlSeconds: 0 }).treatment.browserTtlSeconds).toBe(0);
  expect(evaluated([never], '/', asOrigin).treatment.browserTtlSeconds).toBe(0);
});

test.each([
  ['a rule’s cacheTtl', [[{ type: 'cacheTtl', seconds: 3600 }]], true],
  ['a rule’s cacheTtl of 0', [[{ type: 'cacheTtl', seconds: 0 }]], true],
  ['a cacheTtl after a bypass', [[{ type: 'bypassCache' }], [{ type: 'cacheTtl', seconds: 1 }]], true],
  ['the property', [[{ type: 'browserTtl', seconds: 1 }]], false],
  ['a bypass after a cacheTtl', [[{ type: 'cacheTtl', seconds: 1 }], [{ type: 'bypassCache' }]], false],
  ['a block', [[{ type: 'cacheTtl', seconds: 1 }, { type: 'block' }]], false],
  [
    'a redirect',
    [
      [
        { type: 'cacheTtl', seconds: 1 },
        { type: 'redirect', location: '/b', status: 301 },
      ],
    ],
    false,
  ],
] as const)('the TTL that %s decided overrides the origin or not', (_, actions, expected) => {
  const { cacheTtlOverridesOrigin, cacheTtlSeconds } = outcomeOf(...actions);
  expect(cacheTtlOverridesOrigin).toBe(expected);
  if (expected) expect(cacheTtlSeconds).not.toBeNull();
});

test.each([
  ['include', [], false],
  ['ignore', [], true],
  ['deny', ['x', 'z'], ['x', 'z']],
  ['deny', [], false],
  ['allow', ['x'], ['y']],
  ['allow', ['x', 'y'], false],
] as const)('the query mode %s with %j ignores %j', (mode, names, expected) => {
  const settings = { ...cache, queryString: { mode, names: [...names] } };
  expect(evaluated([], '/a?x=1&y=2&y=3', settings).treatment.ignoreQueryString).toEqual(expected);
  const overriding = rule({ actions: [{ type: 'ignoreQueryString', names: ['q'] }] });
  expect(evaluated([overriding], '/', settings).treatment.ignoreQueryString).toEqual(['q']);
});

test('each action shows in the outcome', () => {
  const outcome = outcomeOf([
    { type: 'cacheTtl', seconds: 1 },
    { type: 'browserTtl', seconds: 2 },
    { type: 'forceHttps' },
    { type: 'ignoreQueryString' },
    { type: 'rewritePath', path: '/b' },
    { type: 'setRequestHeader', name: 'X-A', value: '1' },
    { type: 'removeRequestHeader', name: 'X-B' },
    { type: 'setResponseHeader', name: '__proto__', value: '2' },
    { type: 'removeResponseHeader', name: 'X-C' },
  ]);
  expect(outcome).toEqual({
    ...untouched,
    cacheTtlSeconds: 1,
    cacheTtlOverridesOrigin: true,
    browserTtlSeconds: 2,
    forceHttps: true,
    ignoreQueryString: true,
    path: '/b',
    requestHeaders: { 'X-A': '1', 'X-B': null },
    responseHeaders: JSON.parse('{"__proto__":"2","X-C":null}'),
  });
});

test('of one aspect the later rule decides', () => {
  expect(outcomeOf([{ type: 'bypassCache' }], [{ type: 'cacheTtl', seconds: 5 }])).toEqual({
    ...untouched,
    cacheTtlSeconds: 5,
    cacheTtlOverridesOrigin: true,
  });
  expect(outcomeOf([{ type: 'cacheTtl', seconds: 5 }], [{ type: 'bypassCache' }])).toEqual({
    ...untouched,
    cacheTtlSeconds: null,
    bypass: true,
  });
  expect(
    outcomeOf(
      [{ type: 'setRequestHeader', name: 'X-A', value: '1' }],
      [{ type: 'removeRequestHeader', name: 'x-a' }],
    ).requestHeaders,
  ).toEqual({ 'x-a': null });
});

test('block and redirect end the evaluation; earlier response headers stay, nothing is cached or rewritten', () => {
  const before: Action[] = [
    { type: 'rewritePath', path: '/b' },
    { type: 'setResponseHeader', name: 'X-A', value: '1' },
  ];
  const after: Action[] = [
    { type: 'redirect', location: '/late', status: 302 },
    { type: 'browserTtl', seconds: 9 },
  ];
  const redirected = outcomeOf(before, [{ type: 'redirect', location: '/new', status: 308 }], after);
  expect(redirected).toEqual({
    ...untouched,
    cacheTtlSeconds: null,
    redirect: { location: '/new', status: 308 },
    responseHeaders: { 'X-A': '1' },
  });
  expect(outcomeOf([{ type: 'block' }], after)).toEqual({ ...untouched, cacheTtlSeconds: null, block: true });
});

function onPath(path: string, negate: boolean): Condition {
  return {
    field: 'path',
    operator: 'equals',
    values: [path],
    negate,
  };
}

test.each([
  ['all', [], true],
  ['any', [], true],
  ['all', [true, true], true],
  ['all', [true, false], false],
  ['any', [true, false], true],
  ['any', [false, false], false],
] as const)('match %s of %j: %j', (match, outcomes, expected) => {
  const conditions = outcomes.map((outcome) => onPath('/a', !outcome));
  const { matched } = evaluated([rule({ match, conditions })], '/a');
  expect(matched.length === 1).toBe(expected);
});

const headerName = fc.constantFrom('X-A', 'x-a', 'X-B');
const value = fc.constantFrom('1', '2');
const anAction = fc.oneof(
  fc.record({ type: fc.constantFrom('cacheTtl', 'browserTtl'), seconds: fc.nat(3) }),
  fc.record({ type: fc.constantFrom('bypassCache', 'forceHttps') }),
  fc.record({ type: fc.constantFrom('setRequestHeader', 'setResponseHeader'), name: headerName, value }),
  fc.record({ type: fc.constantFrom('removeRequestHeader', 'removeResponseHeader'), name: headerName }),
  fc.record({ type: fc.constant('rewritePath'), path: fc.constantFrom('/x', '/y') }),
  fc.record({ type: fc.constant('ignoreQueryString'), names: fc.constantFrom(['a'], ['b']) }),
);
const aFinalAction = fc.oneof(
  fc.record({ type: fc.constant('block') }),
  fc.record({
    type: fc.constant('redirect'),
    location: fc.constantFrom('/x', '/y'),
    status: fc.constant(301),
  }),
);
const someActions = fc
  .array(fc.oneof({ weight: 12, arbitrary: anAction }, { weight: 1, arbitrary: aFinalAction }), {
    maxLength: 4,
  })
  .map((actions) => actions as Action[])
  .filter((actions) => conflicts(actions).length === 0);
const aRule = fc
  .record({
    enabled: fc.constantFrom(true, true, false),
    stop: fc.constantFrom(false, false, false, true),
    match: fc.constantFrom('all', 'any'),
    conditions: fc.array(fc.record({ path: fc.constantFrom('/a', '/b'), negate: fc.boolean() }), {
      maxLength: 2,
    }),
    actions: someActions,
  })
  .map(({ conditions, ...rest }) => ({
    ...rest,
    conditions: conditions.map(({ path, negate }) => onPath(path, negate)),
  }));

/** The same, step by step: each rule acts on what the ones before it made. */
class Model {
  readonly matched: string[] = [];
  readonly outcome = structuredClone(untouched);
  private ended = false;

  take(given: Rule, path: string): void {
    if (this.ended || !given.enabled || !this.matches(given, path)) return;
    this.matched.push(given.id);
    for (const action of given.actions) this.act(action);
    this.ended = given.stop || this.outcome.block || this.outcome.redirect !== null;
    if (!this.outcome.block && !this.outcome.redirect) return;
    Object.assign(this.outcome, { cacheTtlSeconds: null, cacheTtlOverridesOrigin: false });
  }

  private matches({ match, conditions }: Rule, path: string): boolean {
    const hits = conditions.filter(
      (each) => each.operator !== 'exists' && each.values.includes(path) !== each.negate,
    );
    return match === 'all' ? hits.length === conditions.length : conditions.length === 0 || hits.length > 0;
  }

  private header(changes: Record<string, string | null>, name: string, to: string | null): void {
    for (const known of Object.keys(changes))
      if (known.toLowerCase() === name.toLowerCase()) delete changes[known];
    changes[name] = to;
  }

  private act(action: Action): void {
    const now = this.outcome;
    if (action.type === 'cacheTtl')
      Object.assign(now, { cacheTtlSeconds: action.seconds, cacheTtlOverridesOrigin: true, bypass: false });
    if (action.type === 'bypassCache')
      Object.assign(now, { cacheTtlSeconds: null, cacheTtlOverridesOrigin: false, bypass: true });
    if (action.type === 'browserTtl') now.browserTtlSeconds = action.seconds;
    if (action.type === 'forceHttps') now.forceHttps = true;
    if (action.type === 'block') now.block = true;
    if (action.type === 'rewritePath') now.path = action.path;
    if (action.type === 'ignoreQueryString') now.ignoreQueryString = action.names ?? true;
    if (action.type === 'redirect') {
      now.redirect = { location: action.location, status: action.status };
      now.path = null;
    }
    if (action.type === 'setRequestHeader') this.header(now.requestHeaders, action.name, action.value);
    if (action.type === 'removeRequestHeader') this.header(now.requestHeaders, action.name, null);
    if (action.type === 'setResponseHeader') this.header(now.responseHeaders, action.name, action.value);
    if (action.type === 'removeResponseHeader') this.header(now.responseHeaders, action.name, null);
  }
}

test('any rules in any order make what they make one after another', () => {
  fc.assert(
    fc.property(fc.array(aRule, { maxLength: 8 }), fc.constantFrom('/a', '/b'), (given, path) => {
      const inOrder = given.map((changes) => rule(changes));
      const model = new Model();
      for (const each of inOrder) model.take(each, path);
      const { matched, treatment } = evaluated(inOrder, path);
      expect(matched.map(({ id }) => id)).toEqual(model.matched);
      expect(treatment).toEqual(model.outcome);
    }),
    { numRuns: 3_000 },
  );
});

test.each(['wildcard', 'contains'] as const)(
  '100 rules of 50 conditions of 50 values, %s, on a URL of 2 KB take well under a second',
  async (operator) => {
    const path = `/${'a'.repeat(2_000)}`;
    const values = Array.from({ length: 50 }, (_, index) =>
      operator === 'wildcard' ? `*a?a${index}*b` : `aaa${index}`,
    );
    const conditions = Array.from({ length: 50 }, () => ({ field: 'path', operator, values }) as const);
    const many = Array.from({ length: 100 }, () =>
      rule({ match: 'any', conditions, actions: [{ type: 'forceHttps' }] }),
    );
    const milliseconds = await cpuMillisecondsOf(() => expect(evaluated(many, path).matched).toEqual([]));
    expect(milliseconds).toBeLessThan(800);
  },
);

test('5,000 header changes take well under a second', async () => {
  const many = Array.from({ length: 100 }, (_, index) =>
    rule({
      actions: Array.from({ length: 50 }, (__, place) => ({
        type: 'setResponseHeader',
        name: `X-${index}-${place}`,
        value: 'x',
      })),
    }),
  );
  const milliseconds = await cpuMillisecondsOf(() => {
    const { responseHeaders } = evaluated(many, '/').treatment;
    expect(Object.keys(responseHeaders)).toHaveLength(5_000);
  });
  expect(milliseconds).toBeLessThan(500);
});

import { expect, test } from 'vitest';
import type { Action } from '../../../shared/rule/action.ts';
import { conflicts } from '../../../shared/rule/conflicts.ts';

const redirect = { type: 'redirect', location: '/a', status: 301 } as const;

const contradicting: readonly (readonly [Action, Action])[] = [
  [
    { type: 'cacheTtl', seconds: 1 },
    { type: 'cacheTtl', seconds: 2 },
  ],
  [
    { type: 'browserTtl', seconds: 1 },
    { type: 'browserTtl', seconds: 2 },
  ],
  [{ type: 'bypassCache' }, { type: 'cacheTtl', seconds: 2 }],
  [{ type: 'block' }, redirect],
  [redirect, { ...redirect, location: '/b' }],
  [redirect, { type: 'rewritePath', path: '/b' }],
  [
    { type: 'rewritePath', path: '/a' },
    { type: 'rewritePath', path: '/b' },
  ],
  [{ type: 'ignoreQueryString' }, { type: 'ignoreQueryString', names: ['a'] }],
  [
    { type: 'setRequestHeader', name: 'X-A', value: '1' },
    { type: 'removeRequestHeader', name: 'x-a' },
  ],
  [
    { type: 'setResponseHeader', name: 'X-A', value: '1' },
    { type: 'setResponseHeader', name: 'x-a', value: '2' },
  ],
];

test.each(contradicting)('%j and %j contradict, in either order', (a, b) => {
  for (const [first, second] of [
    [a, b],
    [b, a],
  ] as const) {
    expect(conflicts([{ type: 'forceHttps' }, first, second])).toEqual([
      { index: 2, message: `(${second.type}) contradicts actions[1] (${first.type})` },
    ]);
  }
});

test('an action given twice is named as repeated', () => {
  expect(conflicts([{ type: 'block' }, { type: 'block' }])).toEqual([
    { index: 1, message: '(block) repeats actions[0] (block)' },
  ]);
});

test('what decides different things goes together', () => {
  const actions: readonly Action[] = [
    { type: 'cacheTtl', seconds: 1 },
    { type: 'browserTtl', seconds: 2 },
    { type: 'forceHttps' },
    { type: 'ignoreQueryString' },
    { type: 'rewritePath', path: '/a' },
    { type: 'setRequestHeader', name: 'X-A', value: '1' },
    { type: 'setResponseHeader', name: 'X-A', value: '2' },
    { type: 'removeResponseHeader', name: 'X-B' },
  ];
  expect(conflicts(actions)).toEqual([]);
  expect(conflicts([{ type: 'block' }, { type: 'setResponseHeader', name: 'X-A', value: '1' }])).toEqual([]);
});

import { expect } from 'vitest';
import type { EdgePurged } from '../../../../shared/edge/driver.ts';
import { PurgeType } from '../../../../shared/ground/purge-type.ts';
import type { Ask } from './edge-client.ts';
import { mayBePurged } from './purge-model.ts';
import { sharedAs, wholeQuery } from './query-modes.ts';

/** The property's own; beside it there is another tenant of the same origin. */
export const hostnames = ['www.shop.example', 'shop.example'];
export const stranger = 'other.example';
export const tenants = [...hostnames, stranger];

const tagsByTarget: Readonly<Record<string, string>> = {
  '/': 'home',
  '/a': 'red',
  '/a/': 'red, blue',
  '/a/b': 'red blue',
  '/a/b?x=1': 'blue',
  '/ab': 'redder',
  '/c/a/b': 'green',
};
const targets = Object.keys(tagsByTarget);

function on(hosts: readonly string[], ...paths: string[]): readonly string[] {
  return hosts.flatMap((hostname) => paths.map((path) => hostname + path));
}

/** What a purge of the property takes. */
export interface Row {
  readonly type: PurgeType;
  readonly values: readonly string[];
  readonly gone: readonly string[];
}

const rowsOf: Readonly<Record<PurgeType, readonly Omit<Row, 'type'>[]>> = {
  all: [{ values: [], gone: on(hostnames, ...targets) }],
  hostname: [{ values: ['shop.example'], gone: on(['shop.example'], ...targets) }],
  url: [
    { values: ['/a/b'], gone: on(hostnames, '/a/b') },
    {
      values: ['https://shop.example/a/b?x=1', 'https://www.shop.example/'],
      gone: ['shop.example/a/b?x=1', 'www.shop.example/'],
    },
  ],
  prefix: [
    { values: ['/a'], gone: on(hostnames, '/a', '/a/', '/a/b', '/a/b?x=1') },
    { values: ['/a/'], gone: on(hostnames, '/a/', '/a/b', '/a/b?x=1') },
    { values: ['https://shop.example/'], gone: on(['shop.example'], ...targets) },
  ],
  tag: [
    { values: ['red'], gone: on(hostnames, '/a', '/a/', '/a/b') },
    { values: ['home', 'green'], gone: on(hostnames, '/', '/c/a/b') },
  ],
};

const rows: readonly Row[] = PurgeType.options.flatMap((type) =>
  rowsOf[type].map((row) => ({ type, ...row })),
);

export interface PageAsk extends Ask {
  readonly page: string;
}

/** Every page of every tenant. */
const pageAsks: readonly PageAsk[] = tenants.flatMap((hostname) =>
  targets.map((target) => ({
    page: hostname + target,
    hostname,
    target,
    wish: { headers: { 'surrogate-key': tagsByTarget[target] ?? '' } },
  })),
);

/** Pages, and what purges take of them. */
export interface Table {
  readonly pageAsks: readonly PageAsk[];
  readonly rows: readonly Row[];
  /** Whether responses are for several queries each. */
  readonly isReduced: boolean;
}

/** As it is where a property leaves queries out: of the pages that share a response there is one. */
export function tableUnder(mode = wholeQuery): Table {
  const identityOf = (ask: PageAsk): string => ask.hostname + sharedAs(mode, ask)?.target;
  const kept = pageAsks.filter(
    (ask, index) => pageAsks.findIndex((other) => identityOf(other) === identityOf(ask)) === index,
  );
  const isGone = ({ type, values, gone }: Row, { page, hostname, target }: PageAsk): boolean =>
    gone.includes(page) ||
    mayBePurged(
      { type, soft: false, hostnames, values },
      { hostname, target, tags: [] },
      sharedAs(mode, { target }),
    );
  return {
    pageAsks: kept,
    isReduced: kept.every((ask) => sharedAs(mode, ask)?.isReduced),
    rows: rows.map((row) => ({
      ...row,
      gone: kept.filter((ask) => isGone(row, ask)).map(({ page }) => page),
    })),
  };
}

/**
 * An object that several keys name may be counted for each of them: what is for several queries has its path's beside its
 * own.
 */
export function expectRemoved({ removed }: EdgePurged, expected: number, mayBeNamedTwice: boolean): void {
  if (removed === undefined) return;
  expect(removed).toBeGreaterThanOrEqual(expected);
  expect(removed).toBeLessThanOrEqual(mayBeNamedTwice ? 2 * expected : expected);
}

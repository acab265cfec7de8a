import { PurgeType } from '../../../../shared/ground/purge-type.ts';
import type { Ask } from './edge-client.ts';

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

export const rows: readonly Row[] = PurgeType.options.flatMap((type) =>
  rowsOf[type].map((row) => ({ type, ...row })),
);

export interface PageAsk extends Ask {
  readonly page: string;
}

/** Every page of every tenant. */
export const pageAsks: readonly PageAsk[] = tenants.flatMap((hostname) =>
  targets.map((target) => ({
    page: hostname + target,
    hostname,
    target,
    wish: { headers: { 'surrogate-key': tagsByTarget[target] ?? '' } },
  })),
);

import { expect, test } from 'vitest';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { eventually } from '../../../support/eventually.ts';
import { useBench } from './bench.ts';
import type { Ask } from './edge-client.ts';
import type { EdgeUnderTest } from './edge-under-test.ts';

/** The property has the first two host names; the third is another tenant of the same origin. */
const hostnames = ['www.shop.example', 'shop.example'];
const tenants = [...hostnames, 'other.example'];

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

const on = (hosts: readonly string[], ...paths: string[]): readonly string[] =>
  hosts.flatMap((hostname) => paths.map((path) => hostname + path));

interface Row {
  readonly type: EdgePurge['type'];
  readonly values: readonly string[];
  readonly gone: readonly string[];
}

const rows: readonly Row[] = [
  { type: 'all', values: [], gone: on(hostnames, ...targets) },
  { type: 'hostname', values: ['shop.example'], gone: on(['shop.example'], ...targets) },
  { type: 'url', values: ['/a/b'], gone: on(hostnames, '/a/b') },
  {
    type: 'url',
    values: ['https://shop.example/a/b?x=1', 'https://www.shop.example/'],
    gone: ['shop.example/a/b?x=1', 'www.shop.example/'],
  },
  { type: 'prefix', values: ['/a'], gone: on(hostnames, '/a', '/a/', '/a/b', '/a/b?x=1') },
  { type: 'prefix', values: ['/a/'], gone: on(hostnames, '/a/', '/a/b', '/a/b?x=1') },
  { type: 'prefix', values: ['https://shop.example/'], gone: on(['shop.example'], ...targets) },
  { type: 'tag', values: ['red'], gone: on(hostnames, '/a', '/a/', '/a/b') },
  { type: 'tag', values: ['home', 'green'], gone: on(hostnames, '/', '/c/a/b') },
];

/** Each page in both languages, as an origin would serve it. */
const asks: readonly (Ask & { readonly page: string })[] = tenants.flatMap((hostname) =>
  targets.flatMap((target) =>
    ['de', 'en'].map((language) => ({
      page: hostname + target,
      hostname,
      target,
      headers: { 'accept-language': language },
      wish: { headers: { vary: 'Accept-Language', 'surrogate-key': tagsByTarget[target] ?? '' } },
    })),
  ),
);

export const purgesEveryType = (backend: EdgeUnderTest): void => {
  const bench = useBench(backend);

  const pagesThatHit = async (): Promise<ReadonlySet<string>> => {
    const answers = await Promise.all(asks.map((ask) => bench().client.ask(ask)));
    return new Set(asks.filter((_, index) => answers[index]?.isHit).map(({ page }) => page));
  };

  const storeAll = async (): Promise<void> => {
    await pagesThatHit();
    expect((await pagesThatHit()).size).toBe(tenants.length * targets.length);
  };

  test.each(rows)(
    'hard, $type $values: gone are these pages in every variant, and no others',
    async (row) => {
      await storeAll();
      const { removed } = await bench().purge({ ...row, soft: false, hostnames });
      expect(removed).toBe(row.gone.length * 2);
      const left = await pagesThatHit();
      expect(
        asks
          .map(({ page }) => page)
          .filter((page) => !left.has(page))
          .sort(),
      ).toEqual([...row.gone, ...row.gone].sort());
    },
  );

  test.each(rows)(
    'soft, $type $values: renewed are these pages in every variant, and no others',
    async (row) => {
      await storeAll();
      bench().origin.epoch += 1;
      const { removed } = await bench().purge({ ...row, soft: true, hostnames });
      expect(removed).toBe(row.gone.length * 2);
      const isNew = (epoch: number) => epoch === bench().origin.epoch;
      for (const ask of asks) {
        if (row.gone.includes(ask.page)) await eventually(() => bench().client.epoch(ask), isNew, 2_000);
        else expect([ask.page, isNew(await bench().client.epoch(ask))]).toEqual([ask.page, false]);
      }
      await bench().purge({ type: 'all', soft: false, hostnames: tenants, values: [] });
    },
  );
};

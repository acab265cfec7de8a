import { expect, test } from 'vitest';
import type { EdgePurge } from '../../../../shared/edge/driver.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, useBench } from './bench.ts';
import { canPurge } from './can-purge.ts';
import type { Ask } from './edge-client.ts';
import type { ContractEdge } from './edge-under-test.ts';

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

type PageAsk = Ask & { readonly page: string };

/** Each page, in both languages where the backend stores variants. */
const asksOf = ({ storesVariants }: ContractEdge): readonly PageAsk[] => {
  const languages = storesVariants ? ['de', 'en'] : ['de'];
  const vary: Record<string, string> = storesVariants ? { vary: 'Accept-Language' } : {};
  return tenants.flatMap((hostname) =>
    targets.flatMap((target) =>
      languages.map((language) => ({
        page: hostname + target,
        hostname,
        target,
        headers: { 'accept-language': language },
        wish: { headers: { ...vary, 'surrogate-key': tagsByTarget[target] ?? '' } },
      })),
    ),
  );
};

const pagesOf = (asks: readonly PageAsk[]): readonly string[] => asks.map(({ page }) => page);

const pagesThatHit = async ({ client }: Bench, asks: readonly PageAsk[]): Promise<ReadonlySet<string>> => {
  const answers = await Promise.all(asks.map((ask) => client.ask(ask)));
  return new Set(pagesOf(asks.filter((_, index) => answers[index]?.isHit)));
};

const storeAll = async (bench: Bench, asks: readonly PageAsk[]): Promise<void> => {
  await pagesThatHit(bench, asks);
  expect((await pagesThatHit(bench, asks)).size).toBe(tenants.length * targets.length);
};

export const purgesEveryType = (backend: ContractEdge): void => {
  const bench = useBench(backend);
  const asks = asksOf(backend);
  const rowsOf = (soft: boolean) => rows.filter(({ type }) => canPurge(backend, { type, soft }));
  /** A page stands there for each variant of it. */
  const goneOf = ({ gone }: Row) => pagesOf(asks).filter((page) => gone.includes(page));

  test.each(rowsOf(false))(
    'hard, $type $values: gone are these pages in every variant, and no others',
    async (row) => {
      await storeAll(bench(), asks);
      const { removed } = await bench().purge({ ...row, soft: false, hostnames });
      expect(removed).toBe(goneOf(row).length);
      const left = await pagesThatHit(bench(), asks);
      expect(pagesOf(asks).filter((page) => !left.has(page))).toEqual(goneOf(row));
    },
  );

  test.each(rowsOf(true))(
    'soft, $type $values: renewed are these pages in every variant, and no others',
    async (row) => {
      await storeAll(bench(), asks);
      bench().origin.epoch += 1;
      const { removed } = await bench().purge({ ...row, soft: true, hostnames });
      expect(removed).toBe(goneOf(row).length);
      const isNew = (epoch: number) => epoch === bench().origin.epoch;
      for (const ask of asks) {
        if (row.gone.includes(ask.page)) await eventually(() => bench().client.epoch(ask), isNew, 2_000);
        else expect([ask.page, isNew(await bench().client.epoch(ask))]).toEqual([ask.page, false]);
      }
      await bench().purge({ type: 'all', soft: false, hostnames: tenants, values: [] });
    },
  );
};

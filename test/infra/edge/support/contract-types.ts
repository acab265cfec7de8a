import { expect, test } from 'vitest';
import { PurgeType } from '../../../../shared/ground/purge-type.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Bench } from './bench.ts';
import type { Ask } from './edge-client.ts';

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

function on(hosts: readonly string[], ...paths: string[]): readonly string[] {
  return hosts.flatMap((hostname) => paths.map((path) => hostname + path));
}

interface Row {
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

type PageAsk = Ask & { readonly page: string };

/** Each page, in both languages. */
const asks: readonly PageAsk[] = tenants.flatMap((hostname) =>
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

const pages = asks.map(({ page }) => page);

/** A page stands there for each variant of it. */
function goneOf({ gone }: Row): readonly string[] {
  return pages.filter((page) => gone.includes(page));
}

async function pagesThatHit({ client }: Bench): Promise<ReadonlySet<string>> {
  const responses = await Promise.all(asks.map((ask) => client.ask(ask)));
  return new Set(pages.filter((_, index) => responses[index]?.isHit));
}

async function storeAll(bench: Bench): Promise<void> {
  await pagesThatHit(bench);
  expect((await pagesThatHit(bench)).size).toBe(tenants.length * targets.length);
}

export function purgesEveryType(bench: () => Bench): void {
  test.each(rows)(
    'hard, $type $values: gone are these pages in every variant, and no others',
    async (row) => {
      await storeAll(bench());
      const { removed } = await bench().purge({ ...row, soft: false, hostnames });
      expect(removed).toBe(goneOf(row).length);
      const left = await pagesThatHit(bench());
      expect(pages.filter((page) => !left.has(page))).toEqual(goneOf(row));
    },
  );

  test.each(rows)(
    'soft, $type $values: renewed are these pages in every variant, and no others',
    async (row) => {
      await storeAll(bench());
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
}

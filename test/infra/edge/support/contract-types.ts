import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, refreshMilliseconds } from './bench.ts';
import { expectRemoved, hostnames, type PageAsk, type Row, tableUnder, tenants } from './contract-table.ts';
import { wholeQuery } from './query-modes.ts';

async function pagesThatHit({ client }: Bench, asks: readonly PageAsk[]): Promise<ReadonlySet<string>> {
  const responses = await Promise.all(asks.map((ask) => client.ask(ask)));
  return new Set(asks.filter((_, index) => responses[index]?.isHit).map(({ page }) => page));
}

/** Each page, in both languages. */
function inBothLanguages(pageAsks: readonly PageAsk[]): readonly PageAsk[] {
  return pageAsks.flatMap((ask) =>
    ['de', 'en'].map((language) => ({
      ...ask,
      headers: { 'accept-language': language },
      wish: { headers: { ...ask.wish?.headers, vary: 'Accept-Language' } },
    })),
  );
}

export function purgesEveryType(
  bench: () => Bench,
  { types, soft: hasSoft }: Backend,
  mode = wholeQuery,
): void {
  const { pageAsks, rows, isReduced } = tableUnder(mode);
  const asks = inBothLanguages(pageAsks);
  const pages = asks.map(({ page }) => page);
  const purges = rows.flatMap((row) => [false, true].map((soft) => ({ ...row, soft, hostnames })));
  const isPossible = ({ type, soft }: (typeof purges)[number]) => types[type] && (hasSoft || !soft);
  const possible = purges.filter(isPossible);

  /** A page stands there for each variant of it. */
  const goneOf = ({ gone }: Row): readonly string[] => pages.filter((page) => gone.includes(page));
  const storeAll = async (): Promise<void> => {
    await pagesThatHit(bench(), asks);
    expect((await pagesThatHit(bench(), asks)).size).toBe(pageAsks.length);
  };
  const purge = async (row: (typeof purges)[number]): Promise<void> =>
    expectRemoved(await bench().purge(row), goneOf(row).length, isReduced && row.type === 'url');

  test.each(possible.filter(({ soft }) => !soft))(
    'hard, $type $values: gone are these pages in every variant, and no others',
    async (row) => {
      await storeAll();
      await purge(row);
      const left = await pagesThatHit(bench(), asks);
      expect(pages.filter((page) => !left.has(page))).toEqual(goneOf(row));
    },
  );

  test.each(possible.filter(({ soft }) => soft))(
    'soft, $type $values: renewed are these pages in every variant, and no others',
    async (row) => {
      await storeAll();
      bench().origin.epoch += 1;
      await purge(row);
      const isNew = (epoch: number) => epoch === bench().origin.epoch;
      const epochOf = (ask: PageAsk) => bench().client.epoch(ask);
      const isGone = ({ page }: PageAsk): boolean => row.gone.includes(page);
      await Promise.all(
        asks.filter(isGone).map((ask) => eventually(() => epochOf(ask), isNew, refreshMilliseconds)),
      );
      const others = asks.filter((ask) => !isGone(ask));
      const epochs = await Promise.all(others.map(epochOf));
      expect(others.filter((_, index) => isNew(epochs[index] ?? 0)).map(({ page }) => page)).toEqual([]);
      await bench().purge({ type: 'all', soft: false, hostnames: tenants, values: [] });
    },
  );

  test.each(purges.filter((purge) => !isPossible(purge)))(
    '$type $values, soft: $soft, which the backend says it cannot do: refused, and nothing is gone',
    async (purge) => {
      await storeAll();
      await expect(bench().purge(purge)).rejects.toMatchObject({ name: 'EdgeFailure', kind: 'refused' });
      expect((await pagesThatHit(bench(), asks)).size).toBe(pageAsks.length);
    },
  );
}

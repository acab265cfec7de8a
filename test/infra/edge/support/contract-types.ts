import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Bench, refreshMilliseconds } from './bench.ts';
import { hostnames, type PageAsk, pageAsks, type Row, rows, tenants } from './contract-table.ts';

/** Each page, in both languages. */
const asks: readonly PageAsk[] = pageAsks.flatMap((ask) =>
  ['de', 'en'].map((language) => ({
    ...ask,
    headers: { 'accept-language': language },
    wish: { headers: { ...ask.wish?.headers, vary: 'Accept-Language' } },
  })),
);

const pages = asks.map(({ page }) => page);

const purges = rows.flatMap((row) => [false, true].map((soft) => ({ ...row, soft, hostnames })));

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
  expect((await pagesThatHit(bench)).size).toBe(pageAsks.length);
}

export function purgesEveryType(bench: () => Bench, { types, soft: hasSoft }: Backend): void {
  const isPossible = ({ type, soft }: (typeof purges)[number]) => types[type] && (hasSoft || !soft);
  const possible = purges.filter(isPossible);

  test.each(possible.filter(({ soft }) => !soft))(
    'hard, $type $values: gone are these pages in every variant, and no others',
    async (purge) => {
      await storeAll(bench());
      const { removed = goneOf(purge).length } = await bench().purge(purge);
      expect(removed).toBe(goneOf(purge).length);
      const left = await pagesThatHit(bench());
      expect(pages.filter((page) => !left.has(page))).toEqual(goneOf(purge));
    },
  );

  test.each(possible.filter(({ soft }) => soft))(
    'soft, $type $values: renewed are these pages in every variant, and no others',
    async (purge) => {
      await storeAll(bench());
      bench().origin.epoch += 1;
      const { removed = goneOf(purge).length } = await bench().purge(purge);
      expect(removed).toBe(goneOf(purge).length);
      const isNew = (epoch: number) => epoch === bench().origin.epoch;
      for (const ask of asks) {
        if (purge.gone.includes(ask.page))
          await eventually(() => bench().client.epoch(ask), isNew, refreshMilliseconds);
        else expect([ask.page, isNew(await bench().client.epoch(ask))]).toEqual([ask.page, false]);
      }
      await bench().purge({ type: 'all', soft: false, hostnames: tenants, values: [] });
    },
  );

  test.each(purges.filter((purge) => !isPossible(purge)))(
    '$type $values, soft: $soft, which the backend says it cannot do: refused, and nothing is gone',
    async (purge) => {
      await storeAll(bench());
      await expect(bench().purge(purge)).rejects.toMatchObject({ name: 'EdgeFailure', kind: 'refused' });
      expect((await pagesThatHit(bench())).size).toBe(pageAsks.length);
    },
  );
}

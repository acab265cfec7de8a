import { expect, test } from 'vitest';
import type { Backend } from '../../../../shared/edge/backends.ts';
import { eventually } from '../../../support/eventually.ts';
import type { Bench } from './bench.ts';
import { hostnames, type PageAsk, stranger, tableUnder, tenants } from './contract-table.ts';
import { wholeQuery } from './query-modes.ts';

/** Fetches pages that no edge has, and ends the fetches when the work is done. */
async function duringFetches(
  { client, origin }: Bench,
  asks: readonly PageAsk[],
  work: () => Promise<unknown>,
): Promise<void> {
  const fetches = asks.map((ask) => client.ask({ ...ask, wish: { ...ask.wish, isHeld: true } }));
  await eventually(
    async () => origin.held,
    (held) => held === asks.length,
  );
  await work().finally(() => origin.release());
  await Promise.all(fetches);
}

/** What a purge says of fetches that began before it, type by type. */
export function holdsBackFetches(bench: () => Bench, { types }: Backend, mode = wholeQuery): void {
  const { pageAsks, rows } = tableUnder(mode);
  const others = pageAsks.filter(({ page }) => page === `${stranger}/a/b`);
  test.each(rows.filter(({ type }) => types[type]))(
    'a purge by $type $values during fetches: these pages are not stored, another tenant’s is',
    async ({ type, values, gone }) => {
      const { client, origin, purge } = bench();
      await purge({ type: 'all', soft: false, hostnames: tenants, values: [] });
      const named = pageAsks.filter(({ page }) => gone.includes(page));
      await duringFetches(bench(), [...named, ...others], () => {
        origin.epoch += 1;
        return purge({ type, soft: false, hostnames, values });
      });
      for (const ask of named) expect([ask.page, await client.epoch(ask)]).toEqual([ask.page, origin.epoch]);
      for (const ask of others) expect([ask.page, await client.isHit(ask)]).toEqual([ask.page, true]);
    },
  );
}

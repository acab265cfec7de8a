import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSite } from '../../support/edge-log.ts';
import { eventually } from '../../support/eventually.ts';
import { LoadGenerator } from './support/load-generator.ts';
import { ShippingBench } from './support/shipping-bench.ts';
import { describeVarnish } from './support/varnish-kit.ts';

const requests = 60_000;
const atOnce = 32;

/** Six parts: shipped in peace, under kills, twice with the API away, under kills, and in peace again. */
async function loadThroughTrouble(bench: ShippingBench, generator: LoadGenerator): Promise<void> {
  const part = requests / 6;
  const load = (number: number): Promise<void> => generator.load(number * part, part);
  await bench.untilLogged();
  await load(0);
  await bench.killingUntil(load(1));
  bench.api.isAway = true;
  await load(2);
  await load(3);
  bench.api.isAway = false;
  await bench.restartShipper();
  await bench.killingUntil(load(4));
  await load(5);
}

describeVarnish('Statistics of a real Varnish, shipped through every trouble', () => {
  let bench: ShippingBench;
  beforeAll(async () => {
    bench = await ShippingBench.start(atOnce);
  });
  afterAll(() => bench.stop());

  test('every total is the load generator’s own count, exactly', async () => {
    const { api } = bench.run;
    const sites = await Promise.all([1, 2, 3].map(() => makeSite(api)));
    const hosts = sites.map(({ host }) => host);
    const generator = new LoadGenerator(bench.client, hosts, atOnce);
    await loadThroughTrouble(bench, generator);
    expect(generator.requests).toBe(requests);
    const total = async () => (await api.get('/api/statistics')).data.totals.requests;
    await eventually(total, (seen) => seen >= requests, 90_000);
    for (const { id, host } of sites) {
      const { data } = await api.get(`/api/property/${id}/statistics?groupBy=edge`);
      const { requests: all = 0, hits = 0, passes = 0, ...others } = generator.tallies.get(host) ?? {};
      const misses = all - hits - passes;
      expect(data.totals).toMatchObject({ requests: all, hits, passes, misses, ...others });
      expect(data.groups.map(({ key }: { key: string }) => key)).toEqual(['real']);
    }
    expect(bench.kills).toBeGreaterThan(4);
    expect(bench.api.twice).toBeGreaterThan(0);
    expect(bench.api.unanswered).toBeGreaterThan(0);
    expect(await total()).toBe(requests);
  }, 300_000);
});

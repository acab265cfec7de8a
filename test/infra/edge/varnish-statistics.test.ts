import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSite } from '../../support/edge-log.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';
import { hostileRequest } from './support/hostile-request.ts';
import { LoadGenerator } from './support/load-generator.ts';
import { sendRaw } from './support/raw-request.ts';
import { ShippingBench, warmUpHost } from './support/shipping-bench.ts';
import { describeVarnish } from './support/varnish-kit.ts';

const requests = volume(9_000, 60_000);
const atOnce = 32;
const parts = 6;
const killsOfPart = 3;

/** Characters of a line as the kit writes it, whatever is asked: nothing is left to be shortened on the way. */
const longestLine = 7_000;

const hostile = fc.sample(hostileRequest, volume(120, 300));

/** Six parts: shipped in peace, under kills, twice with the API away, under kills, and in peace again. */
async function loadThroughTrouble(bench: ShippingBench, generator: LoadGenerator): Promise<void> {
  const part = requests / parts;
  const load = async (number: number): Promise<void> => {
    const ofVisitors = generator.load(number * part, part);
    for (const text of hostile.filter((_, index) => index % parts === number))
      await sendRaw(bench.edgeUrl, text);
    await ofVisitors;
  };
  await bench.untilLogged();
  await load(0);
  await bench.killingUntil(load(1), killsOfPart);
  bench.api.isAway = true;
  await load(2);
  await load(3);
  bench.api.isAway = false;
  await bench.restartShipper();
  await bench.killingUntil(load(4), killsOfPart);
  await load(5);
}

describeVarnish('Statistics of a real Varnish, shipped through every trouble', () => {
  let bench: ShippingBench;
  beforeAll(async () => {
    bench = await ShippingBench.start(await startTestRun(), atOnce);
  });
  afterAll(async () => {
    await bench.stop();
    await bench.run.end();
  });

  /** Lines that the API has taken, but for those of the start. */
  const taken = (): readonly string[] => {
    const ofStart = new RegExp(`"h":"${warmUpHost}"|"m":"TRACE"`);
    return [...bench.api.taken.values()].flatMap(({ lines }) => lines).filter((line) => !ofStart.test(line));
  };

  test('every total is the load generator’s own count, exactly, whatever else visitors write into the log', async () => {
    const { api } = bench.run;
    const sites = await Promise.all([1, 2, 3].map(() => makeSite(api)));
    const hosts = sites.map(({ host }) => host);
    const generator = new LoadGenerator(bench.client, hosts, atOnce);
    await loadThroughTrouble(bench, generator);
    expect(generator.requests).toBe(requests);
    const total = async () => (await api.get('/api/statistics')).data.totals.requests;
    await eventually(total, (seen) => seen >= requests);
    for (const { id, host } of sites) {
      const { data } = await api.get(`/api/property/${id}/statistics?groupBy=edge`);
      const { requests: all = 0, hits = 0, passes = 0, ...others } = generator.tallies.get(host) ?? {};
      const misses = all - hits - passes;
      expect(data.totals).toMatchObject({ requests: all, hits, passes, misses, ...others });
      expect(data.groups.map(({ key }: { key: string }) => key)).toEqual(['real']);
    }
    expect(bench.kills).toBeGreaterThan(2 * killsOfPart);
    expect(bench.api.twice).toBeGreaterThan(0);
    expect(bench.api.lostResponses).toBeGreaterThan(0);
    expect(await total()).toBe(requests);
    const lines = await eventually(
      async () => taken(),
      ({ length }) => length >= requests + hostile.length,
    );
    expect(lines).toHaveLength(requests + hostile.length);
    expect(lines.filter(({ length }) => length > longestLine)).toEqual([]);
    for (const batch of bench.api.taken.values()) expect(batch.told).toBe(batch.lines.length);
  });
});

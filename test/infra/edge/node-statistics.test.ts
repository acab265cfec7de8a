import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSite } from '../../support/edge-log.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestRun } from '../../support/test-run.ts';
import { volume } from '../../support/volume.ts';
import { hostileRequest } from './support/hostile-request.ts';
import { LoadGenerator, loadRules, unknownHost } from './support/load-generator.ts';
import { describeNode } from './support/node-kit.ts';
import { sendRaw } from './support/raw-request.ts';
import { ShippingBench, warmUpHost } from './support/shipping-bench.ts';

const requests = volume(9_000, 60_000);
const atOnce = 32;
const parts = 6;
const killsOfPart = 3;
const reloads = volume(2, 10);

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
  await bench.reloadingDuring(load(0), reloads);
  await bench.killingUntil(load(1), killsOfPart);
  bench.api.isAway = true;
  await load(2);
  await load(3);
  bench.api.isAway = false;
  await bench.restartShipper();
  await bench.killingUntil(load(4), killsOfPart);
  await bench.reloadingDuring(load(5), reloads);
}

describeNode('Statistics of a real node, shipped through every trouble', () => {
  let bench: ShippingBench;
  beforeAll(async () => {
    process.env.ALLOW_PRIVATE_ORIGINS = 'true';
    bench = await ShippingBench.start(await startTestRun(), atOnce, true);
  });
  afterAll(async () => {
    await bench.stop();
    await bench.run.end();
  });

  /** Lines that the API has taken, but for those of the start. */
  const taken = (): readonly string[] => {
    const ofStart = new RegExp(`"h":"(?:${warmUpHost}|127\\.0\\.0\\.1)"`);
    return [...bench.api.taken.values()].flatMap(({ lines }) => lines).filter((line) => !ofStart.test(line));
  };

  test('every total is the load generator’s own count, exactly, whatever else visitors write into the log', async () => {
    const { api } = bench.run;
    const sites = await Promise.all([1, 2, 3].map(() => makeSite(api, bench.originUrl)));
    for (const { id } of sites)
      for (const rule of loadRules)
        expect((await api.post(`/api/property/${id}/rules`, rule)).status).toBe(201);
    for (const { id } of sites)
      await eventually(
        () => api.get(`/api/property/${id}/deployment`),
        ({ data }) => data.status === 'live',
      );
    const hosts = sites.map(({ host }) => host);
    const generator = new LoadGenerator(bench.client, hosts, atOnce);
    await loadThroughTrouble(bench, generator);
    expect(generator.requests).toBe(requests);
    const total = async () => (await api.get('/api/statistics')).data.totals.requests;
    const known = requests - (generator.tallies.get(unknownHost)?.requests ?? 0);
    await eventually(total, (seen) => seen >= known);
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
    expect(await total()).toBe(known);
    const lines = await eventually(
      async () => taken(),
      ({ length }) => length >= requests + hostile.length,
    );
    expect(lines).toHaveLength(requests + hostile.length);
    expect(lines.filter(({ length }) => length > longestLine)).toEqual([]);
    for (const batch of bench.api.taken.values()) expect(batch.told).toBe(batch.lines.length);
    console.log(
      `${requests} requests, ${bench.reloads} times read again, ${bench.client.sentAgain} sent again on a connection that had been closed`,
    );
  });
});

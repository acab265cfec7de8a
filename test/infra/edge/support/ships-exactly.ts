import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeEdge, makeSite } from '../../../support/edge-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTestRun, type TestRun } from '../../../support/test-run.ts';
import { type Answer, EdgeClient } from './edge-client.ts';
import type { RunningKit } from './edge-kit.ts';
import { FlakyApi } from './flaky-api.ts';
import { type RunningShipper, startShipper } from './shipper.ts';
import { TestOrigin } from './test-origin.ts';

const atOnce = 32;
const secret = 'a secret of sixteen characters or more';

interface Tally {
  requests: number;
  bytes: number;
  hits: number;
  status2xx: number;
  status4xx: number;
  status5xx: number;
}

const emptyTally = (): Tally => ({
  requests: 0,
  bytes: 0,
  hits: 0,
  status2xx: 0,
  status4xx: 0,
  status5xx: 0,
});

type StartKit = (backend: string, secret: string) => Promise<RunningKit>;

/** The log of a real edge, shipped through every trouble: every total is the load generator's own count. */
export const shipsExactly = (start: StartKit, requests: number): void => {
  let run: TestRun;
  let origin: TestOrigin;
  let kit: RunningKit;
  let client: EdgeClient;
  let api: FlakyApi;
  let apiUrl: string;
  let tokenFile: string;
  let shipper: RunningShipper;
  let kills = 0;
  let sites: readonly { readonly id: string; readonly host: string }[];
  const tallies = new Map<string, Tally & { passes: number }>();

  beforeAll(async () => {
    run = await startTestRun();
    origin = new TestOrigin();
    kit = await start(await origin.start(), secret);
    client = new EdgeClient(kit.baseUrl, atOnce);
    api = new FlakyApi(run.baseUrl);
    apiUrl = await api.start();
    tokenFile = `${kit.dir}.token`;
    writeFileSync(tokenFile, `${await makeEdge('real')}\n`);
    sites = await Promise.all([1, 2, 3].map(() => makeSite(run.api)));
    shipper = startShipper(kit.dir, apiUrl, tokenFile);
  });
  afterAll(async () => {
    await shipper.end('SIGKILL');
    await client.stop();
    await api.stop();
    await kit.stop();
    await origin.stop();
    rmSync(tokenFile);
    await run.end();
  });

  /** Of each site mostly hits, some misses, passes, 404 and 500. */
  const askOnce = async (index: number): Promise<void> => {
    const { host } = sites[index % sites.length] ?? { host: '' };
    const isPass = index % 17 === 0;
    const status = index % 101 === 0 ? 500 : index % 29 === 0 ? 404 : 200;
    const target = index % 13 === 0 ? `/once/${index}` : `/${status}/${index % 50}`;
    const answer: Answer = await client.ask({
      method: isPass ? 'POST' : 'GET',
      hostname: host,
      target,
      wish: { status, isSized: true, headers: { 'cache-control': 'max-age=3600' } },
    });
    const tally = tallies.get(host) ?? { ...emptyTally(), passes: 0 };
    tallies.set(host, tally);
    tally.requests += 1;
    tally.bytes += Buffer.byteLength(answer.body);
    if (answer.isHit) tally.hits += 1;
    if (isPass) tally.passes += 1;
    if (answer.status === 200) tally.status2xx += 1;
    if (answer.status === 404) tally.status4xx += 1;
    if (answer.status === 500) tally.status5xx += 1;
  };

  const load = async (first: number, count: number): Promise<void> => {
    let next = first;
    const worker = async () => {
      while (next < first + count) await askOnce(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };

  const restart = async (): Promise<void> => {
    kills += 1;
    await shipper.end('SIGKILL');
    shipper = startShipper(kit.dir, apiUrl, tokenFile);
  };

  const segments = (): readonly string[] =>
    readdirSync(kit.dir).filter((name) => name.startsWith('access.log'));

  test('every total is the load generator’s own count, exactly', async () => {
    const part = requests / 6;
    // What is asked before the log's writer has found Varnish is in nobody's count.
    await eventually(
      async () => {
        await client.ask({ hostname: 'nobody.example.com', target: '/' });
        return segments().some((name) => statSync(join(kit.dir, name)).size > 0);
      },
      (isLogged) => isLogged,
    );
    const killing = async (until: Promise<unknown>): Promise<void> => {
      let isOver = false;
      const over = until.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await sleep(100 + Math.random() * 300);
        await restart();
      }
      await over;
    };
    await load(0, part);
    await killing(load(part, part));
    api.isAway = true;
    await load(2 * part, part);
    await load(3 * part, part);
    api.isAway = false;
    await restart();
    await killing(load(4 * part, part));
    await load(5 * part, part);
    const expected = [...tallies.values()].reduce((sum, tally) => sum + tally.requests, 0);
    expect(expected).toBe(requests);
    const total = async () => (await run.api.get('/api/statistics')).data.totals.requests;
    await eventually(total, (seen) => seen >= requests, 90_000);
    for (const { id, host } of sites) {
      const { data } = await run.api.get(`/api/property/${id}/statistics?groupBy=edge`);
      const tally = tallies.get(host);
      expect(data.totals).toMatchObject({
        ...tally,
        misses: (tally?.requests ?? 0) - (tally?.hits ?? 0) - (tally?.passes ?? 0),
      });
      expect(data.groups.map(({ key }: { key: string }) => key)).toEqual(['real']);
    }
    expect(kills).toBeGreaterThan(4);
    expect(api.twice).toBeGreaterThan(0);
    expect(api.unanswered).toBeGreaterThan(0);
    expect(await total()).toBe(requests);
  }, 300_000);
};

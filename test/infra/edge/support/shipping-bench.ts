import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeEdge } from '../../../support/edge-log.ts';
import { eventually } from '../../../support/eventually.ts';
import type { TestRun } from '../../../support/test-run.ts';
import { EdgeClient } from './edge-client.ts';
import { FlakyApi } from './flaky-api.ts';
import { type RunningShipper, startShipper } from './shipper.ts';
import { TestOrigin } from './test-origin.ts';
import { type RunningKit, startVarnish } from './varnish-kit.ts';

/** Asked until the edge logs, and not counted. */
export const warmUpHost = 'nobody.example.com';

const secret = 'a secret of sixteen characters or more';

/** A real edge whose log is shipped to a test run, through an API that can be away and a shipper that is killed. */
export class ShippingBench {
  kills = 0;
  readonly run: TestRun;
  readonly client: EdgeClient;
  readonly api: FlakyApi;
  private readonly kit: RunningKit;
  private readonly origin: TestOrigin;
  private readonly apiUrl: string;
  private readonly tokenFile: string;
  private shipper: RunningShipper;

  /** @param run is the caller's to end */
  static async start(run: TestRun, atOnce: number): Promise<ShippingBench> {
    const origin = new TestOrigin();
    const kit = await startVarnish(await origin.start(), secret);
    const api = new FlakyApi(run.baseUrl);
    return new ShippingBench(run, origin, kit, api, await api.start(), await makeEdge('real'), atOnce);
  }

  private constructor(
    run: TestRun,
    origin: TestOrigin,
    kit: RunningKit,
    api: FlakyApi,
    apiUrl: string,
    token: string,
    atOnce: number,
  ) {
    this.run = run;
    this.origin = origin;
    this.kit = kit;
    this.api = api;
    this.apiUrl = apiUrl;
    this.client = new EdgeClient(kit.baseUrl, atOnce);
    this.tokenFile = `${kit.dir}.token`;
    writeFileSync(this.tokenFile, `${token}\n`);
    this.shipper = startShipper(kit.dir, apiUrl, this.tokenFile);
  }

  get edgeUrl(): string {
    return this.kit.baseUrl;
  }

  /** What is asked before the log's writer has found the edge is in nobody's count. */
  async untilLogged(): Promise<void> {
    const logs = (): readonly string[] =>
      readdirSync(this.kit.dir).filter((name) => name.startsWith('access.log'));
    await eventually(
      async () => {
        await this.client.ask({ hostname: warmUpHost, target: '/' });
        return logs().some((name) => statSync(join(this.kit.dir, name)).size > 0);
      },
      (isLogged) => isLogged,
    );
  }

  async restartShipper(): Promise<void> {
    this.kills += 1;
    await this.shipper.end('SIGKILL');
    this.shipper = startShipper(this.kit.dir, this.apiUrl, this.tokenFile);
  }

  /** Kills the shipper again and again, so many times at least, until the work is done. */
  async killingUntil(work: Promise<unknown>, atLeast: number): Promise<void> {
    const enough = this.kills + atLeast;
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver || this.kills < enough) {
      await sleep(100 + Math.random() * 300);
      await this.restartShipper();
    }
    await over;
  }

  async stop(): Promise<void> {
    await this.shipper.end('SIGKILL');
    await this.client.stop();
    await this.api.stop();
    await this.kit.stop();
    await this.origin.stop();
    rmSync(this.tokenFile);
  }
}

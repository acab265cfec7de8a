import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeEdge } from '../../../../shared/edge/edge-table.ts';
import { eventually } from '../../../support/eventually.ts';
import type { TestRun } from '../../../support/test-run.ts';
import { volume } from '../../../support/volume.ts';
import { EdgeClient } from './edge-client.ts';
import { FlakyApi } from './flaky-api.ts';
import type { RunningNode } from './node-kit.ts';
import { startRegisteredNode } from './registered-node.ts';
import { type RunningShipper, startShipper } from './shipper.ts';
import { TestOrigin } from './test-origin.ts';

/** Some files of each test: what is left of one waits for its turn for 10 s. */
const fileBytes = volume(500_000, 2_000_000);

/** Asked until the edge logs, and not counted. */
export const warmUpHost = 'nobody.example.com';

/** A real edge whose log is shipped to a test run, through an API that can be away and a shipper that is killed. */
export class ShippingBench {
  kills = 0;
  readonly run: TestRun;
  readonly client: EdgeClient;
  readonly api: FlakyApi;
  readonly originUrl: string;
  reloads = 0;
  private readonly kit: RunningNode;
  private readonly origin: TestOrigin;
  private readonly apiUrl: string;
  private readonly tokenFile: string;
  private shipper: RunningShipper;

  /** @param run is the caller's to end. It configures the edge, where that is wished. */
  static async start(run: TestRun, atOnce: number, isConfigured = false): Promise<ShippingBench> {
    const origin = new TestOrigin();
    const originUrl = await origin.start();
    if (isConfigured) await removeEdge('embedded');
    const kit = await startRegisteredNode(
      'real',
      (token) => (isConfigured ? { api: run.baseUrl, token } : { backend: originUrl }),
      { environment: { EDGE_LOG_FILE_BYTES: String(fileBytes) } },
    );
    const api = new FlakyApi(run.baseUrl);
    return new ShippingBench(run, origin, originUrl, kit, api, await api.start(), kit.token, atOnce);
  }

  private constructor(
    run: TestRun,
    origin: TestOrigin,
    originUrl: string,
    kit: RunningNode,
    api: FlakyApi,
    apiUrl: string,
    token: string,
    atOnce: number,
  ) {
    this.run = run;
    this.origin = origin;
    this.originUrl = originUrl;
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

  /** Lets the edge read everything again so many times while the work is done. */
  async reloadingDuring(work: Promise<unknown>, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.reloads += 1;
      this.kit.process.kill('SIGHUP');
      await eventually(
        async () => this.kit.output().split('are read again').length - 1,
        (done) => done === this.reloads,
      );
    }
    await work;
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

import { putItem, table } from '../../shared/aws/table.ts';
import { type CountedDay, countLimit } from '../../shared/purge/purge-count-table.ts';
import { readPurge } from '../../shared/purge/read-purge.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import type { CostRun } from './cost-run.ts';
import { handOver } from './hand-over.ts';

/** CloudFront is asked every second here, twenty times for a purge. */
const completedMilliseconds = 120_000;
const secondsInAMonth = 30 * 24 * 3600;

let sites = 0;

/** A property whose pages are purged one after another. */
export class Site {
  private readonly run: CostRun;
  readonly propertyId: string;
  private pages = 0;

  private constructor(run: CostRun, propertyId: string) {
    this.run = run;
    this.propertyId = propertyId;
  }

  static async make(run: CostRun): Promise<Site> {
    const hostname = `www.site-${++sites}.example.com`;
    const body = { name: `Site ${sites}`, hostnames: [hostname], origin: { url: 'http://127.0.0.1:9' } };
    const { data } = await new ApiClient(run.baseUrl, run.apiKey).post('/api/property', body);
    return new Site(run, data.id);
  }

  /** One with as many purges as its history counts. */
  static async makeBusy(run: CostRun): Promise<Site> {
    const site = await Site.make(run);
    const now = new Date();
    const counts = table<'purgeCounts', CountedDay>('purgeCounts');
    const item = { propertyId: site.propertyId, day: now.toISOString().slice(0, 10), purges: countLimit };
    await putItem(counts, { ...item, expiresAt: Math.floor(now.getTime() / 1000) + secondsInAMonth });
    return site;
  }

  get purgePath(): string {
    return `/api/property/${this.propertyId}/purge`;
  }

  /** Purges a page with each of the keys, at once, which the consumer is then given as one batch. */
  async purgeAtOnce(keys: readonly string[]): Promise<void> {
    const ids = await Promise.all(keys.map((key) => this.send(key)));
    await handOver(this.run, keys.length);
    for (const id of ids) await this.untilCompleted(id);
  }

  /** Purges a page with each of the keys, each purge once the one before it is done. */
  async purgeOneByOne(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.purgeAtOnce([key]);
  }

  private async send(key: string): Promise<string> {
    const body = { type: 'url', urls: [`/2026/11/a-page-with-a-usual-title-${++this.pages}.html`] };
    const { status, data } = await new ApiClient(this.run.baseUrl, key).post(this.purgePath, body);
    if (status !== 200) throw new Error(`The API has refused a purge: ${status}`);
    return data.purgeId;
  }

  private async untilCompleted(id: string): Promise<void> {
    await eventually(
      () => readPurge({ propertyId: this.propertyId, id }, new Date()),
      (purge) => purge?.status === 'completed',
      completedMilliseconds,
    );
  }
}

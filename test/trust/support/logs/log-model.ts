import type { ApiClient } from '../../../support/api-client.ts';
import type { Tally } from '../tally.ts';
import type { LogLine } from './log-lines.ts';

const fields = [
  'requests',
  'bytes',
  'hits',
  'misses',
  'passes',
  'status2xx',
  'status3xx',
  'status4xx',
  'status5xx',
] as const;
type Totals = Record<(typeof fields)[number], number>;

/** What the statistics of some properties must be, line by line. */
export class LogModel {
  private readonly totals: readonly Totals[];
  private readonly sites: readonly { readonly id: string }[];

  constructor(sites: readonly { readonly id: string }[]) {
    this.sites = sites;
    this.totals = sites.map(() => emptyTotals());
  }

  get requests(): number {
    return this.totals.reduce((sum, { requests }) => sum + requests, 0);
  }

  count(lines: readonly LogLine[]): void {
    for (const { fate } of lines) {
      const totals = typeof fate === 'string' ? undefined : this.totals[fate.site];
      if (!totals || typeof fate === 'string') continue;
      totals.requests += 1;
      totals.bytes += fate.bytes;
      totals[fate.cache] += 1;
      const ofClass = fields.find((field) => field === `status${Math.floor(fate.status / 100)}xx`);
      if (ofClass) totals[ofClass] += 1;
    }
  }

  /** Compares every total of every property, at every granularity that reaches back to the oldest line. */
  async compare(api: ApiClient, tally: Tally): Promise<void> {
    for (const granularity of ['hour', 'day']) {
      const from = new Date(Date.now() - 35.5 * 24 * 3_600_000).toISOString();
      for (const [index, { id }] of this.sites.entries()) {
        const { data } = await api.get(
          `/api/property/${id}/statistics?granularity=${granularity}&from=${from}`,
        );
        const expected = this.totals[index] ?? emptyTotals();
        const missing = expected.requests - data.totals.requests;
        const where = `${granularity} of site ${index}: ${JSON.stringify(data.totals)}, not ${JSON.stringify(expected)}`;
        if (missing > 0) tally.found('lost', where);
        else if (missing < 0) tally.found('doubled', where);
        else if (fields.some((field) => data.totals[field] !== expected[field])) tally.found('wrong', where);
      }
    }
  }
}

/** What the API must say of a batch. */
export function receiptOf(lines: readonly LogLine[]) {
  const ofFate = (fate: LogLine['fate']) => lines.filter((line) => line.fate === fate).length;
  const rejected = lines.flatMap(({ fate }, index) => (fate === 'rejected' ? [index + 1] : []));
  const unknownHost = ofFate('unknownHost');
  return {
    accepted: lines.length - rejected.length - unknownHost - ofFate('blank'),
    rejected: rejected.length,
    unknownHost,
    lines: rejected.slice(0, 20),
  };
}

function emptyTotals(): Totals {
  return {
    requests: 0,
    bytes: 0,
    hits: 0,
    misses: 0,
    passes: 0,
    status2xx: 0,
    status3xx: 0,
    status4xx: 0,
    status5xx: 0,
  };
}

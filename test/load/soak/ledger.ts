import type { ApiResponse } from '../../support/api-client.ts';

/** What was acknowledged, and what came of each request. */
export class Ledger {
  /** Ids of acknowledged purges by the URL that each is of. */
  readonly purges = new Map<string, string>();
  /** Numbers that tickets were given. */
  readonly ticketNumbers: number[] = [];
  /** Lines of log batches that were acknowledged, each batch counted once. */
  loggedLines = 0;
  readonly wrong: string[] = [];
  private requests = 0;
  private readonly failures = new Map<string, number>();

  /** Counts a request; a response other than these, and other than "come again", is wrong. */
  note(what: string, { status, headers, envelope }: ApiResponse, ...expected: readonly number[]): void {
    this.requests += 1;
    if (expected.includes(status)) return;
    this.failed(String(status));
    const isBusy = (status === 503 || status === 409) && headers['retry-after'] !== undefined;
    if (!isBusy) this.wrong.push(`${what}: ${status} ${envelope.message}`);
  }

  failed(how: string): void {
    this.failures.set(how, (this.failures.get(how) ?? 0) + 1);
  }

  /** What was counted since the last time. */
  takeCounts(): { readonly requests: number; readonly failures: string } {
    const counts = {
      requests: this.requests,
      failures: [...this.failures].map(([how, count]) => `${how}: ${count}`).join(', ') || 'none',
    };
    this.requests = 0;
    this.failures.clear();
    return counts;
  }
}

import type { ApiResponse } from '../../../support/api-client.ts';
import type { TestRun } from '../../../support/test-run.ts';
import type { Tally } from '../tally.ts';
import type { Clocks } from './clocked-environment.ts';

/** Where functions run whose clocks are wrong, and what comes of it is judged. */
export class ClockBench {
  readonly run: TestRun;
  readonly clocks: Clocks;
  readonly tally: Tally;
  /** In milliseconds; ahead where it is above 0. */
  readonly offset: number;

  constructor(run: TestRun, clocks: Clocks, tally: Tally, offset: number) {
    this.run = run;
    this.clocks = clocks;
    this.tally = tally;
    this.offset = offset;
  }

  get isAhead(): boolean {
    return this.offset > 0;
  }

  /** From now on the function's clock is wrong. */
  shift(name: string): void {
    this.clocks.offsets.set(`CdnManagement-${name}`, this.offset);
  }

  /** Every clock is right again. */
  setRight(): void {
    this.clocks.offsets.clear();
  }

  /** Counts a response, and finds it wrong where its status is another one. */
  judge(what: string, { status, envelope }: ApiResponse, meant: number): void {
    this.tally.tried();
    if (status !== meant) this.tally.found('wrong', `${what}: ${status}, not ${meant}: ${envelope.message}`);
  }
}

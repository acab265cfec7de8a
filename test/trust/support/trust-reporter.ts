import type { Reporter, TestCase } from 'vitest/node';
import { findings, type Tallied } from './tally.ts';

/** Prints what was tried and found, by group, and the seed with which to try it again. */
export default class TrustReporter implements Reporter {
  private readonly tallied: Tallied[] = [];

  onTestCaseResult(testCase: TestCase): void {
    const { tallied } = testCase.meta();
    if (tallied) this.tallied.push(tallied);
  }

  onTestRunEnd(): void {
    const groups = [...Map.groupBy(this.tallied, ({ group }) => group)];
    const rows = [...groups, ['all', this.tallied] as const].map(([group, tallied]) => ({
      group,
      inputs: tallied.reduce((sum, { inputs }) => sum + inputs, 0),
      ...Object.fromEntries(
        findings.map((finding) => [
          finding,
          tallied.reduce((sum, { found }) => sum + (found[finding] ?? 0), 0),
        ]),
      ),
    }));
    console.table(rows);
    console.log(`Again with the same inputs: TRUST_SEED=${process.env.TRUST_SEED} npm run trust`);
  }
}

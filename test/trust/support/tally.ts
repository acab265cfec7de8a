import { expect, type TestContext } from 'vitest';

/** What an attack may find; all are meant to be zero. */
export const findings = [
  'serverErrors',
  /** Done, or told, otherwise than the description says. */
  'wrong',
  /** A response of another shape. */
  'envelope',
  /** It shows what is inside, a secret, or another's. */
  'leaks',
  /** Others get it too. */
  'poisonings',
  /** No response in time, or a purge that leaves its page. */
  'stuck',
  /** Acknowledged, and not there. */
  'lost',
  /** Done or counted more than once. */
  'doubled',
] as const;
export type Finding = (typeof findings)[number];

/** What a test has tried and found, as the reporter sums it up by group. */
export interface Tallied {
  readonly group: string;
  readonly inputs: number;
  readonly found: Readonly<Partial<Record<Finding, number>>>;
}

declare module 'vitest' {
  interface TaskMeta {
    tallied?: Tallied;
  }
}

/** Of each kind. */
const shownExamples = 10;

/** Counts the inputs of a group of attacks and what they have found, and fails the test at its end. */
export class Tally {
  readonly group: string;
  private inputs = 0;
  private readonly counts: Partial<Record<Finding, number>> = {};
  private readonly examples: string[] = [];

  constructor(group: string) {
    this.group = group;
  }

  tried(inputs = 1): void {
    this.inputs += inputs;
  }

  /** @param example enough to repeat it by hand; never a secret */
  found(finding: Finding, example: string): void {
    this.counts[finding] = (this.counts[finding] ?? 0) + 1;
    if ((this.counts[finding] ?? 0) <= shownExamples) this.examples.push(`${finding}: ${example}`);
  }

  /** At the end of the test: hands the counts to the reporter. @throws where something was found */
  end({ task }: Pick<TestContext, 'task'>): void {
    task.meta.tallied = { group: this.group, inputs: this.inputs, found: this.counts };
    expect(this.inputs).toBeGreaterThan(0);
    expect(this.examples).toEqual([]);
  }
}

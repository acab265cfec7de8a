/** What two ways of doing the same have taken, in one unit: medians of turns that they took one after the other. */
export interface Measured {
  readonly ours: number;
  readonly other: number;
}

/** A file of test/bench exports one under this name; the file's name is the benchmark's. */
export interface Benchmark {
  /** What both figures count. */
  readonly unit: string;
  /** What the ratio of ours to the other is at most. */
  readonly goal: number;
  run(): Promise<Measured>;
}

export interface Result extends Measured {
  readonly name: string;
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

export function resultOf(name: string, goal: number, { ours, other }: Measured): Result {
  const ratio = ours / other;
  return { name, ours, other, ratio, goal, met: ratio <= goal };
}

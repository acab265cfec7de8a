import type { Measured } from './benchmark.ts';

/** Takes both, one after the other, so that what else the machine does is the same for both. */
export async function interleaved(
  rounds: number,
  ours: (round: number) => Promise<number>,
  other: (round: number) => Promise<number>,
  warmUpRounds = Math.ceil(rounds / 10),
): Promise<Measured> {
  const taken = { ours: [] as number[], other: [] as number[] };
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const pair = [await ours(round), await other(round)] as const;
    if (round < 0) continue;
    taken.ours.push(pair[0]);
    taken.other.push(pair[1]);
  }
  return { ours: median(taken.ours), other: median(taken.other) };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** @param part 0.5 for the median */
export function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? Number.NaN;
}

import type { Examined } from './examined.ts';

/** One thing that is assumed of AWS. */
export interface Check {
  readonly name: string;
  /**
   * Finds out whether it holds.
   * @returns what was seen
   * @throws Error saying what is wrong, and what to do
   */
  run(examined: Examined): Promise<string>;
}

import * as z from 'zod';

/** The query of every list. */
export const PageQuery = z.strictObject({
  pageNumber: positiveNumber(1, 1_000_000).describe('Which page, from 1.'),
  pageSize: positiveNumber(20, 100).describe('How many records a page holds.'),
});
export type PageQuery = z.output<typeof PageQuery>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly totalRecords: number;
}

function positiveNumber(fallback: number, highest: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${highest}`)
    .transform(Number)
    .pipe(z.int().min(1, `must be 1 or more`).max(highest, `must be at most ${highest}`))
    .default(fallback);
}

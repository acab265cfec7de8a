import { type Charge, total } from './charge.ts';
import { markdownTable } from './markdown-table.ts';

/** One row of a bill. */
export interface Position {
  readonly name: string;
  readonly dollars: Charge;
  /** What it should cost at most. */
  readonly goal?: number;
}

/** A table in Markdown with a column for each line item that any row has, all in dollars to the cent. */
export function statement(title: string, positions: readonly Position[]): string {
  const all = [...new Set(positions.flatMap(({ dollars }) => Object.keys(dollars)))];
  const items = all.filter((item) => positions.some(({ dollars }) => isShown(dollars[item])));
  const hasGoal = positions.some(({ goal }) => goal !== undefined);
  const header = [title, ...items, 'Total', ...(hasGoal ? ['Goal'] : [])];
  const rows = positions.map(({ name, dollars, goal }) => [
    name,
    ...items.map((item) => cents(dollars[item] ?? 0)),
    cents(total(dollars)),
    ...(hasGoal ? [goal === undefined ? '' : cents(goal)] : []),
  ]);
  return markdownTable(header, rows);
}

function isShown(dollars = 0): boolean {
  return cents(dollars) !== cents(0);
}

function cents(dollars: number): string {
  return dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

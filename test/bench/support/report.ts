import type { Result } from './benchmark.ts';

/** A result with the unit of its figures. */
export interface Reported {
  readonly result: Result;
  readonly unit: string;
}

const header = ['name', 'ours', 'other', 'unit', 'ratio', 'goal', 'met'] as const;

/** A table for a terminal: names on the left, all else on the right. */
export function tableOf(reported: readonly Reported[]): string {
  const rows = reported.map(({ result, unit }) => [
    result.name,
    figure(result.ours),
    figure(result.other),
    unit,
    result.ratio.toFixed(2),
    `≤ ${result.goal.toFixed(2)}`,
    result.met ? 'yes' : 'no',
  ]);
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [header, ...rows].map(lineOf).join('\n');
}

function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

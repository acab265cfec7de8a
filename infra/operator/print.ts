import type { Printable, Row } from './commands/command.ts';

/** One line a row, or one line of JSON. */
export function print(result: Printable, json: boolean): void {
  if (json) console.log(JSON.stringify(result));
  else if (Array.isArray(result)) console.log(result.length > 0 ? result.map(lineOf).join('\n') : '(none)');
  else console.log(lineOf(result as Row));
}

function lineOf(row: Row): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}: ${shown(value)}`)
    .join('  ');
}

function shown(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

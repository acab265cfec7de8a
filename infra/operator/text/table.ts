import { ageOf } from './age.ts';
import { fitWidths, shortened } from './fit.ts';

/** Headers of a table by the fields that its columns show, in their order. */
export type Columns = Readonly<Record<string, string>>;

type Fields = Readonly<Record<string, unknown>>;

const gap = '  ';
/** As JSON has it. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * One line for each row, below the headers.
 * @param width of the terminal, to which columns are shortened, ids last; undefined shortens nothing
 */
export function tableOf(
  rows: readonly Fields[],
  columns: Columns = allColumns(rows),
  width?: number,
): string {
  if (rows.length === 0) return '(none)\n';
  const fields = Object.keys(columns);
  const lines = [Object.values(columns), ...rows.map((row) => fields.map((field) => cellOf(row[field])))];
  const natural = fields.map((_, index) => Math.max(...lines.map((line) => [...(line[index] ?? '')].length)));
  const mayShorten = fields.map((field) => !/^id$|Id$/.test(field));
  const available = width === undefined ? Number.POSITIVE_INFINITY : width - gap.length * (fields.length - 1);
  const widths = fitWidths(natural, mayShorten, available);
  return lines
    .map((line) => line.map((cell, index) => padded(cell, widths[index] ?? 0)).join(gap))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function allColumns(rows: readonly Fields[]): Columns {
  return Object.fromEntries(rows.flatMap(Object.keys).map((field) => [field, headerOf(field)]));
}

/** `lastUsedAt` is `LAST USED AT`. */
function headerOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
}

/** One line, in which nothing steers the terminal. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return cellOf(value.join(', '));
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  return timePattern.test(text) ? ageOf(text) : text.replace(/\p{Cc}+/gu, ' ');
}

function padded(text: string, width: number): string {
  const cell = shortened(text, width);
  return cell + ' '.repeat(width - [...cell].length);
}

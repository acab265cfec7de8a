/** A first column of names, and columns of numbers. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const ruler = header.map((_, index) => (index === 0 ? '---' : '--:'));
  return [header, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

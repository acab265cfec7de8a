/**
 * The one that takes the fewest changes of letters; the first of several.
 * @returns undefined where each takes more than half of the letters: nobody means what has so little in common
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  return candidates
    .map((candidate) => ({ candidate, changes: changesBetween(text, candidate) }))
    .filter(({ changes }) => changes <= text.length / 2)
    .sort((one, other) => one.changes - other.changes)[0]?.candidate;
}

/** How many letters must be put in, left out or replaced to make one text of the other. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 0; at < other.length; at += 1) {
      const replaced = (row[at] ?? 0) + (letter === other[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

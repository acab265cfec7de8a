/** A guard of the product, how it is taken out, and the test that must then fail. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Pairs of a text that occurs once in the file and what stands in its place without the guard. */
  readonly edits: readonly (readonly [text: string, replacement: string])[];
  /** The cheapest test file that fails without the guard. */
  readonly test: string;
  /** Pattern of the names of its tests that are run; all of them by default. */
  readonly only?: string;
}

/** The file's source without the guard. @throws Error where a text does not occur exactly once */
export function withoutGuard({ name, file, edits }: Guard, source: string): string {
  return edits.reduce((text, [removed, replacement]) => {
    const times = text.split(removed).length - 1;
    if (times !== 1) throw new Error(`${name}: the text occurs ${times} times in ${file}:\n${removed}`);
    return text.replace(removed, () => replacement);
  }, source);
}

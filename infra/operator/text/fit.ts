/** Widths that together take no more than is there: columns that may be shortened first, the widest of them most. */
export function fitWidths(
  widths: readonly number[],
  mayShorten: readonly boolean[],
  available: number,
): readonly number[] {
  const readable = shorten(widths, mayShorten, available, 8);
  return shorten(
    readable,
    widths.map(() => true),
    available,
    1,
  );
}

/** The text, or its beginning and an ellipsis. */
export function shortened(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

/** Lines of words that are no longer than the width, but for words that are. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines.splice(-1, 1, `${line} ${word}`);
  }
  return lines;
}

function shorten(
  widths: readonly number[],
  may: readonly boolean[],
  available: number,
  least: number,
): readonly number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width, 0) - available;
  for (; over > 0; over -= 1) {
    const widest = Math.max(...fitted.filter((width, index) => may[index] && width > least));
    if (widest <= 0) return fitted;
    fitted.splice(
      fitted.findIndex((width, index) => may[index] && width === widest),
      1,
      widest - 1,
    );
  }
  return fitted;
}

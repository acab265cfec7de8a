const maximumCharacters = 80;

/**
 * A client's value as a message repeats it: short, printable, and without what may be a credential: an API key, the
 * user name and password of a URL, and its query.
 */
export function quoted(value: string): string {
  const shown = value
    .replace(/svc_.*/s, 'svc_…')
    .replace(/[^/\\]+@/, '…@')
    .replace(/([?#]).+/s, '$1…');
  return shortened(shown);
}

/** In quotes, cut where it is long; what cannot be seen is shown as U+FFFD. */
export function shortened(text: string): string {
  const characters = Array.from(text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd'));
  const isLong = characters.length > maximumCharacters;
  return `"${characters.slice(0, maximumCharacters).join('')}${isLong ? '…' : ''}"`;
}

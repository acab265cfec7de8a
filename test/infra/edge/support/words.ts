/** A list of texts without white space, written as one. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

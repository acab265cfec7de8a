/** A list of texts without white space, written as one. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

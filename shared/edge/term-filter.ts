import { createHash } from 'node:crypto';

/**
 * A Bloom filter of the index's terms, of a fixed size: it tells most purges that no edge has a scope of theirs, so that
 * they need not look. It never denies a term that was added.
 */
const bytes = 1_024;
const hashes = 4;

export function emptyFilter(): Uint8Array {
  return new Uint8Array(bytes);
}

export function withTerms(filter: Uint8Array, terms: readonly string[]): Uint8Array {
  const filled = Uint8Array.from(filter);
  for (const bit of terms.flatMap(bitsOf)) filled[bit >> 3] = byteAt(filled, bit) | (1 << (bit & 7));
  return filled;
}

/** False: the term was never added. About 1 of 50 others is true where 1,000 were added. */
export function mayHold(filter: Uint8Array, term: string): boolean {
  return bitsOf(term).every((bit) => (byteAt(filter, bit) & (1 << (bit & 7))) !== 0);
}

function bitsOf(term: string): readonly number[] {
  const digest = createHash('sha256').update(term).digest();
  return Array.from({ length: hashes }, (_, index) => digest.readUInt16BE(2 * index) % (8 * bytes));
}

function byteAt(filter: Uint8Array, bit: number): number {
  return filter[bit >> 3] ?? 0;
}

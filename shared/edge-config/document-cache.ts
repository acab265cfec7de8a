import type { ConfigDocument } from './document.ts';

/** Of the text of all documents together. */
const mostBytes = 32 * 1024 * 1024;

/** A database that is restored has other documents of the same versions, and takes longer than this. */
const longestMilliseconds = 10 * 60 * 1000;

interface CachedDocument {
  readonly document: ConfigDocument;
  /** Of its text. */
  readonly bytes: number;
  /** Milliseconds of Unix time. */
  readonly cachedAt: number;
}

const documents = new Map<string, CachedDocument>();
let total = 0;

/** The document of exactly that version, which is the same whoever asks for it. */
export function cachedDocument(propertyId: string, version: number): ConfigDocument | undefined {
  const cached = documents.get(propertyId);
  if (cached?.document.version !== version) return undefined;
  return Date.now() - cached.cachedAt < longestMilliseconds ? cached.document : undefined;
}

/** Takes the place of an older version's. */
export function cacheDocument(document: ConfigDocument): void {
  const { propertyId } = document;
  drop(propertyId);
  const bytes = Buffer.byteLength(JSON.stringify(document));
  documents.set(propertyId, { document, bytes, cachedAt: Date.now() });
  total += bytes;
  for (const oldest of documents.keys()) {
    if (total <= mostBytes) break;
    drop(oldest);
  }
}

function drop(propertyId: string): void {
  total -= documents.get(propertyId)?.bytes ?? 0;
  documents.delete(propertyId);
}

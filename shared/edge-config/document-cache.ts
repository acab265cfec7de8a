import type { ConfigDocument } from './document.ts';

/** Of the text of all documents together. */
const mostBytes = 32 * 1024 * 1024;

interface SizedDocument {
  readonly document: ConfigDocument;
  readonly bytes: number;
}

const documents = new Map<string, SizedDocument>();
let total = 0;

/** The document of exactly that version, which is the same whoever asks for it. */
export function cachedDocument(propertyId: string, version: number): ConfigDocument | undefined {
  const document = documents.get(propertyId)?.document;
  return document?.version === version ? document : undefined;
}

/** Takes the place of an older version's. */
export function cacheDocument(document: ConfigDocument): void {
  const { propertyId } = document;
  drop(propertyId);
  const bytes = Buffer.byteLength(JSON.stringify(document));
  documents.set(propertyId, { document, bytes });
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

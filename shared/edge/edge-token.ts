import { createHash, randomBytes } from 'node:crypto';

/** The credential with which an edge sends its logs in; only its hash is stored. */
export function newEdgeToken(): string {
  return `edge_${randomBytes(32).toString('base64url')}`;
}

export function hashEdgeToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

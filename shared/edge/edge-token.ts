import { createHash, randomBytes } from 'node:crypto';

/** The credential with which an edge sends its logs in; only its hash is stored. */
export const newEdgeToken = (): string => `edge_${randomBytes(32).toString('base64url')}`;

export const hashEdgeToken = (token: string): string => createHash('sha256').update(token).digest('hex');

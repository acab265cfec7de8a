import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { hashEdgeToken } from './edge-token.ts';
import { listEdgeItems, listEdgeItemsTouches } from './registered-edges.ts';
import type { EdgeItem } from './registry-table.ts';

export const authenticateEdgeTouches = listEdgeItemsTouches;

/**
 * Which edge sends. The registry is asked every time, so that a removed edge is refused at once.
 * @param tokens values of X-Edge-Token
 * @throws ApiError `unauthenticated`
 */
export async function authenticateEdge(tokens: readonly string[]): Promise<string> {
  const [token = ''] = tokens;
  if (token === '')
    throw new ApiError('unauthenticated', 'Send the edge’s log token in the header X-Edge-Token.');
  if (tokens.length > 1) throw new ApiError('unauthenticated', 'Send the header X-Edge-Token once.');
  const hash = Buffer.from(hashEdgeToken(token));
  const [edge] = (await listEdgeItems()).filter((item) => hasToken(item, hash));
  if (!edge) throw new ApiError('unauthenticated', messages.logTokenUnknown);
  return edge.id;
}

function hasToken({ tokenHash }: EdgeItem, hash: Buffer): boolean {
  const stored = Buffer.from(tokenHash);
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}

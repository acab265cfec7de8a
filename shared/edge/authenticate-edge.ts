import { timingSafeEqual } from 'node:crypto';
import { queryAll } from '../aws/query.ts';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { hashEdgeToken } from './edge-token.ts';
import { findEdges, findEdgesTouches, isInService } from './registry.ts';
import { type EdgeItem, edgeIndex, tokenTerm } from './registry-table.ts';

export const authenticateEdgeTouches = touching(findEdgesTouches, {
  tables: { edgeIndex: ['Query'] },
} as const satisfies Touches);

/**
 * Which edge sends. The registry is asked every time, so that a removed edge is refused at once.
 * @param tokens values of X-Edge-Token
 * @throws ApiError `unauthenticated`
 */
export async function authenticateEdge(tokens: readonly string[]): Promise<EdgeItem> {
  const hash = sentTokenHash(tokens);
  const found = await queryAll(edgeIndex, { partition: tokenTerm(hash) });
  const edges = await findEdges(found.map(({ edgeId }) => edgeId));
  const edge = edges.find((item) => isInService(item) && hasToken(item, Buffer.from(hash)));
  if (!edge) throw tokenUnknown();
  return edge;
}

/** @throws ApiError `unauthenticated` where there is not one token */
export function sentTokenHash([token = '', ...others]: readonly string[]): string {
  if (token === '')
    throw new ApiError('unauthenticated', 'Send the edge’s token in the header X-Edge-Token.');
  if (others.length > 0) throw new ApiError('unauthenticated', 'Send the header X-Edge-Token once.');
  return hashEdgeToken(token);
}

export function tokenUnknown(): ApiError {
  return new ApiError('unauthenticated', messages.edgeTokenUnknown);
}

function hasToken({ tokenHash }: EdgeItem, hash: Buffer): boolean {
  const stored = Buffer.from(tokenHash);
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}

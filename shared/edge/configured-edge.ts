import { untilWritten } from '../aws/optimistic-retry.ts';
import { queryFirst } from '../aws/query.ts';
import { table } from '../aws/table.ts';
import { putStep, transact, updateStep } from '../aws/transaction.ts';
import { touching } from '../ground/touches.ts';
import {
  authenticateEdge,
  authenticateEdgeTouches,
  sentTokenHash,
  tokenUnknown,
} from './authenticate-edge.ts';
import { type ConfiguredItem, edgeKey, edges, isStill, scopeOf, tokenTerm } from './registry-table.ts';
import type { EdgeScope } from './scope.ts';

/** An edge that asks for its configuration. */
export interface ConfiguredEdge {
  readonly id: string;
  readonly scope: EdgeScope;
}

const tokenRows = table<'edgeIndex', ConfiguredItem>('edgeIndex');

export const authenticateConfiguredTouches = touching(authenticateEdgeTouches, {
  tables: { edgeIndex: ['PutItem'], edges: ['UpdateItem'] },
});

/**
 * Which edge asks. Its token's row says all that is needed: one consistent read, so that a removed edge is refused at once.
 * Only for an edge that was not configured before, or that the operator has changed, its own item is read.
 * @param tokens values of X-Edge-Token
 * @param acceptedKeys kinds of purge key that it takes
 * @throws ApiError `unauthenticated`
 */
export async function authenticateConfigured(
  tokens: readonly string[],
  acceptedKeys: string,
): Promise<ConfiguredEdge> {
  const row = await queryFirst(tokenRows, { partition: tokenTerm(sentTokenHash(tokens)) });
  if (!row) throw tokenUnknown();
  if (row.acceptedKeys === acceptedKeys) return { id: row.edgeId, scope: scopeOf(row) };
  return untilWritten(() => configure(tokens, acceptedKeys));
}

/** @returns undefined where the edge was changed at the same time */
async function configure(
  tokens: readonly string[],
  acceptedKeys: string,
): Promise<ConfiguredEdge | undefined> {
  const edge = await authenticateEdge(tokens);
  const scope = scopeOf(edge);
  const row: ConfiguredItem = { term: tokenTerm(edge.tokenHash), edgeId: edge.id, ...scope, acceptedKeys };
  const refused = await transact([
    updateStep(edges, edgeKey(edge), { set: { acceptedKeys } }, isStill(edge)),
    putStep(tokenRows, row),
  ]);
  return refused ? undefined : { id: edge.id, scope };
}

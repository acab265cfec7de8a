import { table } from '../aws/table.ts';
import type { Edge } from './edge.ts';
import type { EdgeState, Lagging } from './lagging.ts';

/** All edges are in one partition: there are tens of them, and every purge needs them all. */
export const registry = 'edges';

/** How an edge that lags stands, attribute by attribute; all are removed together. */
interface LaggingAttributes extends Omit<Lagging, 'since' | 'kind' | 'reason'> {
  readonly laggingSince: string;
  readonly cause: Pick<Lagging, 'kind' | 'reason'>;
}

/** What is stored of an edge: its secret only as ciphertext, its log token only as a hash. */
export interface EdgeItem
  extends Omit<Edge, 'secret'>,
    Partial<Omit<EdgeState, 'lagging'>>,
    Partial<LaggingAttributes> {
  readonly registry: string;
  /** Null where the backend has no secret. */
  readonly encryptedSecret: Uint8Array | null;
  readonly tokenHash: string;
  readonly createdAt: string;
}

export const edges = table<'edges', EdgeItem>('edges');

export function edgeKey(id: string) {
  return { registry, id };
}

/** Where an edge stands; one that never lagged has no numbers yet. */
export function stateOf(item: EdgeItem): EdgeState {
  const { hintSet = 0, settled = 0, removedAt } = item;
  const lagging = laggingOf(item);
  return {
    hintSet,
    settled,
    ...(lagging && { lagging }),
    ...(removedAt && { removedAt }),
  };
}

function laggingOf({
  laggingSince: since,
  cause,
  attempts = 0,
  nextAttemptAt,
  rotatedAt,
  claimedBy,
}: EdgeItem): Lagging | undefined {
  if (since === undefined || cause === undefined || nextAttemptAt === undefined) return undefined;
  return {
    since,
    ...cause,
    attempts,
    nextAttemptAt,
    ...(rotatedAt !== undefined && { rotatedAt }),
    ...(claimedBy !== undefined && { claimedBy }),
  };
}

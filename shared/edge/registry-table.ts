import { table } from '../aws/table.ts';
import type { Edge } from './edge.ts';
import type { EdgeState, Lagging, LaggingCause } from './lagging.ts';

/** All edges are in one partition: there are tens of them, and every purge needs them all. */
export const registry = 'edges';

/** How an edge that lags stands, attribute by attribute. */
interface LaggingAttributes extends Pick<Lagging, 'attempts' | 'nextAttemptAt' | 'claimedBy'> {
  readonly laggingSince: string;
  readonly cause: LaggingCause;
  /** Absent while the breaker is closed. */
  readonly isBreakerOpen: true;
}

/** What is stored of an edge: its secret only as ciphertext, its log token only as a hash. */
export interface EdgeItem extends Omit<Edge, 'secret'>, Partial<LaggingAttributes> {
  readonly registry: string;
  /** Null where the backend has no secret. */
  readonly encryptedSecret: Uint8Array | null;
  readonly tokenHash: string;
  readonly createdAt: string;
  readonly removedAt?: string;
}

export const edges = table<'edges', EdgeItem>('edges');

export function edgeKey(id: string) {
  return { registry, id };
}

export function stateOf(item: EdgeItem): EdgeState {
  const lagging = laggingOf(item);
  return { ...(lagging && { lagging }), ...(item.removedAt && { removedAt: item.removedAt }) };
}

function laggingOf({
  laggingSince: since,
  cause,
  isBreakerOpen,
  attempts = 0,
  nextAttemptAt,
  claimedBy,
}: EdgeItem): Lagging | undefined {
  if (since === undefined || cause === undefined || nextAttemptAt === undefined) return undefined;
  return {
    since,
    ...cause,
    isBreakerOpen: isBreakerOpen === true,
    attempts,
    nextAttemptAt,
    ...(claimedBy && { claimedBy }),
  };
}

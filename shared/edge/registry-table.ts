import { absent, allOf, compare, present } from '../aws/expression.ts';
import { table } from '../aws/table.ts';
import type { Edge } from './edge.ts';
import type { EdgeState, Lagging, LaggingCause } from './lagging.ts';
import type { EdgeScope } from './scope.ts';

/**
 * Where an edge is kept for as long as it is in the registry: `edges` if it began as one for everybody, since every
 * purge needs those and reads them at once; else `scoped`, where the index finds it.
 */
export const registries = ['edges', 'scoped'] as const;
export type RegistryName = (typeof registries)[number];

/** How an edge that lags stands, attribute by attribute. */
interface LaggingAttributes extends Pick<Lagging, 'attempts' | 'nextAttemptAt' | 'claimedBy'> {
  readonly laggingSince: string;
  readonly cause: LaggingCause;
  /** Absent while the breaker is closed. */
  readonly isBreakerOpen: true;
}

/** What is stored of an edge: its secret only as ciphertext, its token only as a hash. */
export interface EdgeItem
  extends Omit<Edge, 'secret' | 'scope'>,
    Partial<EdgeScope>,
    Partial<LaggingAttributes> {
  readonly registry: RegistryName;
  /**
   * Terms of the scope before the last change: the index keeps them until the next, so that whoever reads it term by
   * term during the change finds the edge by one of them.
   */
  readonly formerTerms?: readonly string[];
  /** A new one after each change by the operator; undefined where a version that knew no scopes has stored the edge. */
  readonly version?: string;
  /** Null where the backend has no secret. */
  readonly encryptedSecret: Uint8Array | null;
  readonly tokenHash: string;
  readonly createdAt: string;
  readonly removedAt?: string;
}

export const edges = table<'edges', EdgeItem>('edges');

export type EdgeKey = Pick<EdgeItem, 'registry' | 'id'>;

export function edgeKey({ registry, id }: EdgeKey): EdgeKey {
  return { registry, id };
}

/** Whether the operator has not changed the edge since. */
export function isStill({ version }: EdgeItem) {
  const isSame =
    version === undefined ? absent<'version'>('version') : compare<'version'>('version', '=', version);
  return allOf<'id' | 'version'>(present('id'), isSame);
}

/** An edge by a term that finds it: a part of its scope, or its token. What the edge itself says counts. */
interface IndexItem {
  readonly term: string;
  readonly edgeId: string;
}

/**
 * What a token's row repeats of its edge, so that an edge's poll is one read. Every change by the operator writes the row
 * without it, and the edge's next poll writes it again.
 */
export interface ConfiguredItem extends IndexItem, EdgeScope {
  readonly acceptedKeys: string;
}

export const edgeIndex = table<'edgeIndex', IndexItem>('edgeIndex');

export function tokenTerm(tokenHash: string): string {
  return `token#${tokenHash}`;
}

/** Beside the edges for everybody, so that who reads those has it too. */
export const filterKey = { registry: 'edges', id: '#terms' } as const;

/** Which terms the index has of scopes; none were there before the first. */
export interface FilterItem {
  readonly registry: 'edges';
  readonly id: '#terms';
  readonly version: string;
  readonly filter: Uint8Array;
}

export const filters = table<'edges', FilterItem>('edges');

/** Of an edge that an older version stored too: those are for everybody. */
export function scopeOf({ accounts = [], properties = [] }: Partial<EdgeScope>): EdgeScope {
  return { accounts, properties };
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

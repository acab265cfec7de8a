import type { PurgeType } from '../purge/purge.ts';
import type { Edge } from './edge.ts';

/** What an edge is asked to remove: the values, in canonical form, on the property's host names. */
export interface EdgePurge {
  readonly type: PurgeType;
  readonly soft: boolean;
  readonly hostnames: readonly string[];
  readonly values: readonly string[];
}

export interface EdgePurged {
  /** Objects removed, every variant counted. */
  readonly removed: number;
}

/** A backend's way of purging. Every call keeps its own time limit and throws EdgeFailure, nothing else. */
export interface EdgeDriver {
  /**
   * Whether the backend itself keeps a fetch that began before a purge from bringing the old content back;
   * without such a guard every purge is done a second time, when those fetches are over.
   */
  readonly guardsFetches: boolean;
  purge(edge: Edge, purge: EdgePurge): Promise<EdgePurged>;
  /** Asks the edge, with a signature, whether it would obey; changes nothing on it. */
  check(edge: Edge): Promise<void>;
}

/** Why an edge did not do it. `refused` will not change by asking again; `unreachable` may. */
export class EdgeFailure extends Error {
  readonly kind: 'refused' | 'unreachable';

  constructor(kind: 'refused' | 'unreachable', message: string) {
    super(message);
    this.name = 'EdgeFailure';
    this.kind = kind;
  }
}

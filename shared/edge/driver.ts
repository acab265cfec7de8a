import type { PurgeType } from '../ground/purge-type.ts';
import type { Edge } from './edge.ts';

/** What an edge is asked to remove: the values, in canonical form, on the property's host names. */
export interface EdgePurge {
  readonly type: PurgeType;
  readonly soft: boolean;
  readonly hostnames: readonly string[];
  readonly values: readonly string[];
}

export interface EdgePurged {
  /** Objects removed, every variant counted; undefined where the backend does not say. */
  readonly removed?: number;
  /** Where everything of the property was purged, because so much was named. */
  readonly coveredBy?: 'all';
}

/** A backend's way of purging. Every call keeps its own time limit and throws EdgeFailure, nothing else. */
export interface EdgeDriver {
  /**
   * Done only when no fetch that began before can bring the old content back.
   * @param limitMilliseconds how long each request to the edge may take; the driver's own limit by default
   */
  purge(edge: Edge, purge: EdgePurge, limitMilliseconds?: number): Promise<EdgePurged>;
  /** Asks the edge, with a signature, whether it would obey; changes nothing on it. */
  check(edge: Edge, limitMilliseconds?: number): Promise<void>;
}

/** A backend that works on a purge for seconds or minutes and takes only so many at a time. Throws as EdgeDriver does. */
export interface BatchDriver {
  /**
   * @param reference the same for the same work, so that a repeated call starts nothing twice
   * @returns a handle to ask for the purge's end with
   */
  start(edge: Edge, purge: EdgePurge, reference: string): Promise<string>;
  /** Throws `refused` for a handle that the backend does not know: the work is then started again. */
  isDone(edge: Edge, handle: string): Promise<boolean>;
  check(edge: Edge): Promise<void>;
}

/**
 * Why an edge did not do it. `refused`: it will never do this purge. `denied`: it obeys nothing of ours until
 * somebody fixes it. `unreachable`: it may do it later.
 */
export type EdgeFailureKind = 'refused' | 'denied' | 'unreachable';

export class EdgeFailure extends Error {
  readonly kind: EdgeFailureKind;

  constructor(kind: EdgeFailureKind, message: string) {
    super(message);
    this.name = 'EdgeFailure';
    this.kind = kind;
  }
}

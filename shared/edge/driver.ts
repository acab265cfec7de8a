import type { PurgeType } from '../ground/purge-type.ts';
import type { AsynchronousDriverName, ImmediateDriverName } from './backends.ts';
import type { AsynchronousEdge, Edge, ImmediateEdge } from './edge.ts';

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

/**
 * How edges of one backend are purged. Every call keeps its own time limit and throws EdgeFailure, nothing else.
 * `Send` brings a prepared purge to one edge.
 */
interface Driver<Name extends ImmediateDriverName | AsynchronousDriverName, Send> {
  /** Works out what the purge asks of an edge, once for all edges of the backend. */
  prepare(purge: EdgePurge): Send;
  /**
   * Asks the edge whether it would obey; changes nothing on it.
   * @param limitMilliseconds the driver's own limit by default
   * @returns what its yes means, in words for the operator
   */
  check(edge: Edge<Name>, limitMilliseconds?: number): Promise<string>;
}

/**
 * Resolves when the edge has done the purge, and no fetch that began before can bring the old content back.
 * @param limitMilliseconds for each request to the edge; the driver's own limit by default
 */
export type SendNow = (edge: ImmediateEdge, limitMilliseconds?: number) => Promise<EdgePurged>;

export type ImmediateDriver = Driver<ImmediateDriverName, SendNow>;

/**
 * Resolves when the backend works on the purge.
 * @param reference the same for the same work, so that a repeated call starts nothing twice
 * @returns a handle to ask for its end with
 */
export type Start = (edge: AsynchronousEdge, reference: string) => Promise<string>;

/** What a purge asks of a backend. */
interface PreparedWork {
  /** How many paths the backend bills for it. */
  readonly paths: number;
  readonly start: Start;
}

export interface AsynchronousDriver extends Driver<AsynchronousDriverName, PreparedWork> {
  /** Throws `refused` for a handle that the backend does not know: the work is then started again. */
  isDone(edge: AsynchronousEdge, handle: string): Promise<boolean>;
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

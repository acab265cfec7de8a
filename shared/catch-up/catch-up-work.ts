import type { ImmediateDriverName } from '../edge/backends.ts';
import type { EdgesInService, RegisteredEdge } from '../edge/registered-edges.ts';

/** Nothing waits for a catch-up, so that a slow edge can be given time. */
export const patientMilliseconds = 5_000;

export type LaggingEdge = RegisteredEdge<ImmediateDriverName>;

/** What a catch-up works with. */
export interface CatchUpWork {
  readonly edgeId: string;
  /** Undefined for an edge that is out of service. */
  readonly edge: LaggingEdge | undefined;
  readonly edges: EdgesInService;
  /** Purges that were started later may be for edges that are not among these. */
  readonly readAt: Date;
  /** Milliseconds of Unix time; nothing is started after it. */
  readonly until: number;
}

/** The catch-up must continue with another call. What is done stays done. */
export class NotYet extends Error {
  readonly delaySeconds: number;

  constructor(message: string, delaySeconds: number) {
    super(message);
    this.delaySeconds = delaySeconds;
  }
}

/** @throws NotYet */
export function checkTime({ until }: CatchUpWork): void {
  if (Date.now() > until) throw new NotYet('the time of one call is over', 0);
}

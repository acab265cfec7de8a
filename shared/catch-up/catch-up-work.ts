import type { ImmediateDriverName } from '../edge/backends.ts';
import type { EdgesInService, RegisteredEdge } from '../edge/registered-edges.ts';
import type { Registry } from '../edge/registry.ts';

/** Nothing waits for a catch-up, so that a slow edge can be given time. */
export const patientMilliseconds = 5_000;

export type LaggingEdge = RegisteredEdge<ImmediateDriverName>;

/** What an edge's catch-up works with. */
export interface CatchUpWork {
  readonly edgeId: string;
  /** Undefined for an edge that is out of service, or out of whose scope the property went. */
  readonly edge: LaggingEdge | undefined;
  readonly registry: Registry;
  /** Purges that were started later may be for edges that the registry did not hold. */
  readonly readAt: Date;
  /** Milliseconds of Unix time; nothing is started after it. */
  readonly until: number;
}

/** What it works with for one property. */
export interface PropertyWork extends CatchUpWork {
  /** Those that take the property's purges, and the edge itself. */
  readonly edges: EdgesInService;
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
export function checkTime({ until }: Pick<CatchUpWork, 'until'>): void {
  if (Date.now() > until) throw new NotYet('the time of one call is over', 0);
}

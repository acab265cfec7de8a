import { isDirect } from '../edge/backends.ts';
import { EdgeFailure } from '../edge/driver.ts';
import type { RegisteredEdge } from '../edge/edge-table.ts';

/** Nothing waits for a catch-up, so that a slow edge can be given time. */
export const patientMilliseconds = 5_000;

/** What a catch-up works with. */
export interface CatchUpWork {
  readonly edge: RegisteredEdge;
  /** All edges in service. */
  readonly edges: readonly RegisteredEdge[];
  /** Milliseconds of Unix time; nothing is started after it. */
  readonly until: number;
}

/** The catch-up must continue with another call, at once: the time of this one is over. What is done stays done. */
export class Continue extends Error {}

/** A batch is under way; others may have failed. */
export class InProgress extends Error {
  readonly failure: EdgeFailure | undefined;

  constructor(failure?: EdgeFailure) {
    super(failure?.message ?? 'the backend is working on it');
    this.failure = failure;
  }
}

/** @throws Continue */
export function checkTime({ until }: CatchUpWork): void {
  if (Date.now() > until) throw new Continue('the time of one call is over');
}

/** Of a backend that is asked in batches: full for one it may still take another, and has others under way. */
export function isBatchFailure({ edge }: CatchUpWork, error: unknown): error is EdgeFailure {
  return !isDirect(edge.driver) && error instanceof EdgeFailure;
}

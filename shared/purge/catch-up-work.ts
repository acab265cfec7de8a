import type { RegisteredEdge } from '../edge/edge-table.ts';

/** Nothing waits for a catch-up, so that a slow edge can be given time. */
export const patientMilliseconds = 5_000;

/** What a catch-up works with. */
export interface CatchUpWork {
  readonly edge: RegisteredEdge;
  /** All edges in service. */
  readonly edges: readonly RegisteredEdge[];
  /** Milliseconds of Unix time; nothing is begun after it. */
  readonly until: number;
}

/** The catch-up must begin anew, at once: its time is over. What is done stays done. */
export class BeginAnew extends Error {}

/** @throws BeginAnew */
export const checkTime = ({ until }: CatchUpWork): void => {
  if (Date.now() > until) throw new BeginAnew('the time of one call is over');
};

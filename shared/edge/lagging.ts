import { type EdgeDriverName, isDirect } from './backends.ts';
import type { EdgeFailure } from './driver.ts';

/**
 * An edge that has missed something, as it stands in the registry. No purge is sent to it (the breaker is open)
 * until it has caught up; hints keep what it misses.
 */
export interface Lagging {
  readonly since: string;
  /** When what was still open last went into a hint set of its own. */
  readonly rotatedAt?: string;
  /** `waiting`: nothing is wrong, its purges are only gathered into batches. */
  readonly kind: 'unreachable' | 'denied' | 'waiting';
  readonly reason: string;
  /** How often it was tried since then. */
  readonly attempts: number;
  /** Nobody tries it before; also holds off others while one is at it. */
  readonly nextAttemptAt: string;
  /** Id of the message whose handler is at it, or was when it died: the message may then take up its own work. */
  readonly claimedBy?: string;
}

/** Why an edge lags. */
export type LaggingCause = Pick<Lagging, 'kind' | 'reason'>;

/** Where an edge stands with what it has missed. */
export interface EdgeState {
  /** Number of the hint set that takes what it misses now; one higher each time it has caught up. */
  readonly hintSet: number;
  /** All hint sets below this one have been worked off to the end. */
  readonly settled: number;
  readonly lagging?: Lagging;
  /** Taken out of service while it lagged: what waited for it is to be let go. */
  readonly removedAt?: string;
}

/** What the log says of an edge that lags for long, and the stack's alarm looks for. */
export const edgeLaggingMessage = 'edge lagging';

/** Why an edge whose backend works in batches is not asked at once. */
export const waitsForBatch = { kind: 'waiting', reason: 'purges are gathered into batches' } as const;

const longestDelaySeconds = 300;

export function retryDelaySeconds(attempts: number): number {
  return Math.min(2 ** Math.min(attempts, 16), longestDelaySeconds);
}

export function laterThan(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

/** When an edge that has just begun to lag is tried first. */
export function firstAttemptAt(now: Date, { kind }: LaggingCause): string {
  return laterThan(now, kind === 'waiting' ? 0 : retryDelaySeconds(1));
}

/** Whether purges are sent to the edge as they come. */
export function isAskedNow({
  driver,
  lagging,
}: Pick<EdgeState, 'lagging'> & { readonly driver: EdgeDriverName }): boolean {
  return isDirect(driver) && !lagging;
}

/** Undefined for a failure that says nothing of the edge, only of the one purge. */
export function laggingCause({
  kind,
  message,
}: Pick<EdgeFailure, 'kind' | 'message'>): LaggingCause | undefined {
  return kind === 'refused' ? undefined : { kind, reason: message };
}

/**
 * Whether somebody must see to it: it has missed something, or was interrupted while it caught up.
 * @param messageId of the message that asks, if it is one
 */
export function isDue(
  { lagging, hintSet, settled, removedAt }: EdgeState,
  now: Date,
  messageId?: string,
): boolean {
  if (removedAt !== undefined) return true;
  if (!lagging) return settled < hintSet;
  const isOwn = messageId !== undefined && lagging.claimedBy === messageId;
  return isOwn || lagging.nextAttemptAt <= now.toISOString();
}

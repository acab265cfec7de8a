import { type EdgeDriverName, isDirect } from './backends.ts';
import type { EdgeFailure } from './driver.ts';

/**
 * An edge that has missed something, as it stands in the registry. No purge is sent to it (the breaker is open)
 * until it has caught up; what it misses goes into its backlog.
 */
export interface Behind {
  readonly since: string;
  /** When what was still open last went into a backlog of its own. */
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

/** Where an edge stands with what it has missed. */
export interface EdgeState {
  /** Number of the backlog that takes what it misses now; one higher each time it has caught up. */
  readonly backlog: number;
  /** All backlogs below this one have been worked off to the end. */
  readonly settled: number;
  readonly behind?: Behind;
  /** Taken out of service while it was behind: what waited for it is to be let go. */
  readonly removedAt?: string;
}

/** What the log says of an edge that is behind for long, and the stack's alarm looks for. */
export const edgeBehindMessage = 'edge behind';

const longestDelaySeconds = 300;

export function retryDelaySeconds(attempts: number): number {
  return Math.min(2 ** Math.min(attempts, 16), longestDelaySeconds);
}

export function laterThan(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

/** The state of an edge that has just failed. */
export function behindSince(now: Date, { kind, reason }: Pick<Behind, 'kind' | 'reason'>): Behind {
  return {
    since: now.toISOString(),
    kind,
    reason,
    attempts: 0,
    nextAttemptAt: laterThan(now, kind === 'waiting' ? 0 : retryDelaySeconds(1)),
  };
}

/** Whether purges are sent to the edge as they come. */
export function isAskedNow({
  driver,
  behind,
}: Pick<EdgeState, 'behind'> & { readonly driver: EdgeDriverName }): boolean {
  return isDirect(driver) && !behind;
}

/** Undefined for a failure that says nothing of the edge, only of the one purge. */
export function behindFor({
  kind,
  message,
}: Pick<EdgeFailure, 'kind' | 'message'>): Pick<Behind, 'kind' | 'reason'> | undefined {
  return kind === 'refused' ? undefined : { kind, reason: message };
}

/**
 * Whether somebody must see to it: it has missed something, or was interrupted while it caught up.
 * @param messageId of the message that asks, if it is one
 */
export function isDue(
  { behind, backlog, settled, removedAt }: EdgeState,
  now: Date,
  messageId?: string,
): boolean {
  if (removedAt !== undefined) return true;
  if (!behind) return settled < backlog;
  const isOwn = messageId !== undefined && behind.claimedBy === messageId;
  return isOwn || behind.nextAttemptAt <= now.toISOString();
}

import type { EdgeFailure } from './driver.ts';

/**
 * An edge that has missed purges, as the registry says. Its breaker opens when it fails: no purge is sent to it then,
 * until its catch-up has seen it respond.
 */
export interface Lagging {
  readonly since: string;
  readonly kind: LaggingCause['kind'];
  readonly reason: string;
  readonly isBreakerOpen: boolean;
  /** How often its catch-up has tried since then, or since it last got on. */
  readonly attempts: number;
  /** Nobody tries it before; also holds off others while one is at it. */
  readonly nextAttemptAt: string;
  /** Id of the message whose handler is at it, or was when it died: the message may then take up its own work. */
  readonly claimedBy?: string;
}

/** Why an edge lags. */
export interface LaggingCause {
  readonly kind: 'unreachable' | 'denied';
  readonly reason: string;
}

/** Why an edge is denied purges that nobody knows any more. */
export const tooLongAway =
  'the edge was away for longer than purges are kept: empty its cache, remove it and add it again';

/** Reasons that tell the operator what to do. */
export const notOnAccessList = 'the edge refused this address (403): is it on its access list?';
export const secretUnreadable = 'the edge’s secret cannot be decrypted';
export const tooSlow = 'the edge takes over a second to respond';

/** Where an edge stands. */
export interface EdgeState {
  readonly lagging?: Lagging;
  /** Taken out of service: what waited for it is to be let go. */
  readonly removedAt?: string;
}

/** What the log says of an edge that lags for long, and the stack's alarm looks for. */
export const edgeLaggingMessage = 'edge lagging';

const longestDelaySeconds = 300;

/** How long to wait after so many attempts that failed. */
export function retryDelaySeconds(attempts: number): number {
  return Math.min(2 ** Math.min(attempts, 16), longestDelaySeconds);
}

export function laterThan(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

/** Undefined for a failure that says nothing of the edge, only of the one purge. */
export function laggingCause({
  kind,
  message,
}: Pick<EdgeFailure, 'kind' | 'message'>): LaggingCause | undefined {
  return kind === 'refused' ? undefined : { kind, reason: message };
}

/**
 * Whether an edge that has missed something may be caught up now.
 * @param messageId of the message that asks, if it is one
 */
export function isDue({ lagging, removedAt }: EdgeState, now: Date, messageId?: string): boolean {
  if (!lagging || removedAt !== undefined) return true;
  const isOwn = messageId !== undefined && lagging.claimedBy === messageId;
  return isOwn || lagging.nextAttemptAt <= now.toISOString();
}

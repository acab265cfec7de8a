import { absent, allOf, anyOf, type Change, type Condition, compare, present } from '../aws/expression.ts';
import { type Attribute, deleteItem, getItem, updateAndGet } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { type EdgeState, firstAttemptAt, type Lagging, type LaggingCause, laterThan } from './lagging.ts';
import { type EdgeItem, edgeKey, edges, stateOf } from './registry-table.ts';

/** How long one who catches an edge up keeps others from doing the same; more than a function's time limit. */
const claimSeconds = 90;

export interface MarkedLagging {
  readonly hintSet: number;
  /** False when somebody else had marked it already. */
  readonly isNew: boolean;
}

export const getEdgeStateTouches = { tables: { edges: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for an edge that is no longer in the registry */
export async function getEdgeState(id: string): Promise<EdgeState | undefined> {
  const item = await getItem(edges, edgeKey(id));
  return item && stateOf(item);
}

/** Of claimAttempt, putOff, endLagging, rotate and settle. */
export const changeEdgeStateTouches = { tables: { edges: ['UpdateItem'] } } as const satisfies Touches;

export const markLaggingTouches = touching(changeEdgeStateTouches, getEdgeStateTouches);

/**
 * Marks an edge as lagging, so that what it misses is kept for it and the next purges spare it.
 * @returns which hint set takes what it misses; undefined for an edge that is no longer in the registry
 */
export async function markLagging(
  id: string,
  cause: LaggingCause,
  now: Date,
): Promise<MarkedLagging | undefined> {
  const marked = await change(
    id,
    {
      set: {
        laggingSince: now.toISOString(),
        cause: { kind: cause.kind, reason: cause.reason },
        attempts: 0,
        nextAttemptAt: firstAttemptAt(now, cause),
      },
      setIfAbsent: { hintSet: 0, settled: 0 },
    },
    allOf<'id' | 'laggingSince'>(present('id'), absent('laggingSince')),
  );
  if (marked) return { hintSet: marked.hintSet, isNew: true };
  const state = await getEdgeState(id);
  if (!state) return undefined;
  // It has caught up since the condition failed, and what it misses now needs a mark of its own.
  return state.lagging ? { hintSet: state.hintSet, isNew: false } : markLagging(id, cause, now);
}

/** @returns where the edge stands, for the one who is now to catch it up; undefined for everybody else */
export function claimAttempt(id: string, messageId: string, now: Date): Promise<EdgeState | undefined> {
  const isFree = anyOf<'nextAttemptAt' | 'claimedBy'>(
    compare('nextAttemptAt', '<=', now.toISOString()),
    compare('claimedBy', '=', messageId),
  );
  return change(
    id,
    { set: { nextAttemptAt: laterThan(now, claimSeconds), claimedBy: messageId }, add: { attempts: 1 } },
    allOf<'laggingSince' | 'nextAttemptAt' | 'claimedBy'>(present('laggingSince'), isFree),
  );
}

/** Ends a claim while the edge still lags. */
export function putOff(
  id: string,
  { kind, reason, attempts, nextAttemptAt }: Omit<Lagging, 'since' | 'claimedBy'>,
): Promise<EdgeState | undefined> {
  return change(
    id,
    { set: { cause: { kind, reason }, attempts, nextAttemptAt }, remove: ['claimedBy'] },
    present('laggingSince'),
  );
}

/** From here on purges are sent to the edge again, and what it misses goes into the next hint set. */
export function endLagging(id: string, hintSet: number): Promise<EdgeState | undefined> {
  return change(
    id,
    {
      set: { hintSet: hintSet + 1 },
      remove: ['laggingSince', 'cause', 'attempts', 'nextAttemptAt', 'rotatedAt', 'claimedBy'],
    },
    compare('hintSet', '=', hintSet),
  );
}

/** What an edge that stays lagging misses from here on goes into the next hint set. */
export function rotate(id: string, hintSet: number, now: Date): Promise<EdgeState | undefined> {
  return change(
    id,
    { set: { hintSet: hintSet + 1, rotatedAt: now.toISOString() } },
    allOf<'hintSet' | 'laggingSince'>(compare('hintSet', '=', hintSet), present('laggingSince')),
  );
}

/** Notes that all hint sets below this one are worked off. */
export function settle(id: string, settled: number): Promise<EdgeState | undefined> {
  return change(id, { set: { settled } }, compare('settled', '<', settled));
}

export const forgetEdgeTouches = { tables: { edges: ['DeleteItem'] } } as const satisfies Touches;

/** Forgets an edge that was taken out of service, unless it has come back meanwhile. */
export async function forgetEdge(id: string): Promise<void> {
  await deleteItem(edges, edgeKey(id), present('removedAt'));
}

/** @returns how the edge stands then; undefined where the condition did not hold */
async function change(
  id: string,
  update: Change<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
): Promise<EdgeState | undefined> {
  const updated = await updateAndGet(edges, edgeKey(id), update, condition);
  return updated.isUpdated ? stateOf(updated.item) : undefined;
}

import { absent, allOf, anyOf, type Change, type Condition, compare, present } from '../aws/expression.ts';
import { type Attribute, deleteItem, getItem, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { type EdgeState, type LaggingCause, laterThan, retryDelaySeconds } from './lagging.ts';
import { type EdgeItem, edgeKey, edges, stateOf } from './registry-table.ts';

/** How long one who catches an edge up keeps others from doing the same; more than a function's time limit. */
const claimSeconds = 90;

const unknownCause: LaggingCause = { kind: 'unreachable', reason: 'it has missed purges' };

export const getEdgeStateTouches = { tables: { edges: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for an edge that is no longer in the registry */
export async function getEdgeState(id: string): Promise<EdgeState | undefined> {
  const item = await getItem(edges, edgeKey(id));
  return item && stateOf(item);
}

/** Of every other change of an edge's state. */
export const openBreakerTouches = { tables: { edges: ['UpdateItem'] } } as const satisfies Touches;

/** The next purges spare the edge. Does nothing where they do already, or for an edge that is not in the registry. */
export async function openBreaker(id: string, cause: LaggingCause, now: Date): Promise<void> {
  const nextAttemptAt = laterThan(now, retryDelaySeconds(1));
  await change(
    id,
    {
      set: { cause, isBreakerOpen: true },
      setIfAbsent: { laggingSince: now.toISOString(), attempts: 0, nextAttemptAt },
    },
    allOf<'id' | 'isBreakerOpen'>(present('id'), absent('isBreakerOpen')),
  );
}

/** @returns whether the caller, and nobody else, is now to catch the edge up */
export function claimAttempt(id: string, messageId: string, now: Date): Promise<boolean> {
  return change(
    id,
    {
      set: { nextAttemptAt: laterThan(now, claimSeconds), claimedBy: messageId },
      setIfAbsent: { laggingSince: now.toISOString(), cause: unknownCause },
      add: { attempts: 1 },
    },
    allOf<'id' | 'nextAttemptAt' | 'claimedBy'>(
      present('id'),
      anyOf<'nextAttemptAt' | 'claimedBy'>(
        absent('nextAttemptAt'),
        compare('nextAttemptAt', '<=', now.toISOString()),
        compare('claimedBy', '=', messageId),
      ),
    ),
  );
}

/** From here on purges are sent to the edge again, so that what it has missed grows no more. */
export function closeBreaker(id: string): Promise<boolean> {
  return change(id, { remove: ['isBreakerOpen'] }, present('id'));
}

/** When an edge that still lags is tried next. */
interface NextAttempt {
  /** Given where it has got everything until then. */
  readonly since?: Date;
  /** Opens the breaker; without one it stays as it is. */
  readonly cause?: LaggingCause | undefined;
  readonly attempts: number;
  readonly nextAttemptAt: string;
}

/** Ends a claim while the edge still lags. */
export function scheduleAttempt(
  id: string,
  { since, cause, attempts, nextAttemptAt }: NextAttempt,
): Promise<boolean> {
  const laggingSince = since?.toISOString();
  const opened = cause && { cause, isBreakerOpen: true as const };
  return change(
    id,
    {
      set: { ...opened, ...(laggingSince && { laggingSince }), attempts, nextAttemptAt },
      remove: ['claimedBy'],
    },
    present('laggingSince'),
  );
}

/** @returns false where its breaker was opened again meanwhile */
export function endLagging(id: string): Promise<boolean> {
  return change(
    id,
    { remove: ['laggingSince', 'cause', 'attempts', 'nextAttemptAt', 'claimedBy'] },
    allOf<'id' | 'isBreakerOpen'>(present('id'), absent('isBreakerOpen')),
  );
}

export const forgetEdgeTouches = { tables: { edges: ['DeleteItem'] } } as const satisfies Touches;

/** Forgets an edge that was taken out of service, unless it has come back meanwhile. */
export async function forgetEdge(id: string): Promise<void> {
  await deleteItem(edges, edgeKey(id), present('removedAt'));
}

/** @returns whether the condition held */
function change(
  id: string,
  update: Change<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
): Promise<boolean> {
  return updateItem(edges, edgeKey(id), update, condition);
}

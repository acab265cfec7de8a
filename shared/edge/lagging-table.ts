import { absent, allOf, anyOf, type Change, type Condition, compare, present } from '../aws/expression.ts';
import { type Attribute, deleteItem, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import { type LaggingCause, laterThan, retryDelaySeconds } from './lagging.ts';
import { type EdgeItem, type EdgeKey, edgeKey, edges } from './registry-table.ts';

/** How long one who catches an edge up keeps others from doing the same; more than a function's time limit. */
const claimSeconds = 90;

const unknownCause: LaggingCause = { kind: 'unreachable', reason: 'it has missed purges' };

/** For every change of an edge's state but that of forgetting it. */
export const openBreakerTouches = { tables: { edges: ['UpdateItem'] } } as const satisfies Touches;

/** The next purges spare the edge. Does nothing where they do already, or for an edge that is not in the registry. */
export async function openBreaker(edge: EdgeKey, cause: LaggingCause, now: Date): Promise<void> {
  const nextAttemptAt = laterThan(now, retryDelaySeconds(1));
  await change(
    edge,
    {
      set: { cause, isBreakerOpen: true },
      setIfAbsent: { laggingSince: now.toISOString(), attempts: 0, nextAttemptAt },
    },
    allOf<'id' | 'isBreakerOpen'>(present('id'), absent('isBreakerOpen')),
  );
}

/** @returns whether the caller, and nobody else, is now to catch the edge up */
export function claimAttempt(edge: EdgeKey, messageId: string, now: Date): Promise<boolean> {
  return change(
    edge,
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
export function closeBreaker(edge: EdgeKey): Promise<boolean> {
  return change(edge, { remove: ['isBreakerOpen'] }, present('id'));
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
  edge: EdgeKey,
  { since, cause, attempts, nextAttemptAt }: NextAttempt,
): Promise<boolean> {
  const laggingSince = since?.toISOString();
  const opened = cause && { cause, isBreakerOpen: true as const };
  return change(
    edge,
    {
      set: { ...opened, ...(laggingSince && { laggingSince }), attempts, nextAttemptAt },
      remove: ['claimedBy'],
    },
    present('laggingSince'),
  );
}

/** @returns false where its breaker was opened again meanwhile */
export function endLagging(edge: EdgeKey): Promise<boolean> {
  return change(
    edge,
    { remove: ['laggingSince', 'cause', 'attempts', 'nextAttemptAt', 'claimedBy'] },
    allOf<'id' | 'isBreakerOpen'>(present('id'), absent('isBreakerOpen')),
  );
}

export const forgetEdgeTouches = { tables: { edges: ['DeleteItem'] } } as const satisfies Touches;

/** Forgets an edge that was taken out of service, unless it has come back meanwhile. */
export async function forgetEdge(edge: EdgeKey): Promise<void> {
  await deleteItem(edges, edgeKey(edge), present('removedAt'));
}

/** @returns whether the condition held */
function change(
  edge: EdgeKey,
  update: Change<EdgeItem>,
  condition: Condition<Attribute<EdgeItem>>,
): Promise<boolean> {
  return updateItem(edges, edgeKey(edge), update, condition);
}

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { type Behind, behindSince, type EdgeState, laterThan } from './behind.ts';
import { registry } from './edge.ts';
import { type EdgeItem, stateOf } from './edge-table.ts';

/** How long one who catches an edge up keeps others from doing the same; more than a function's time limit. */
const claimSeconds = 90;

type Change = Omit<UpdateCommandInput, 'TableName' | 'Key' | 'ReturnValues'>;

export interface BegunBehind {
  readonly backlog: number;
  /** False when somebody else had marked it already. */
  readonly isNew: boolean;
}

/** @returns undefined for an edge that is no longer in the registry */
export async function getEdgeState(id: string): Promise<EdgeState | undefined> {
  const { Item } = await dynamodb().send(new GetCommand({ ...where(id), ConsistentRead: true }));
  const item = Item as EdgeItem | undefined;
  return item && stateOf(item);
}

/**
 * Marks an edge as behind, so that what it misses is kept for it and the next purges spare it.
 * @returns which backlog takes what it misses; undefined for an edge that is no longer in the registry
 */
export async function markBehind(
  id: string,
  cause: Pick<Behind, 'kind' | 'reason'>,
  now: Date,
): Promise<BegunBehind | undefined> {
  const marked = await change(id, {
    UpdateExpression:
      'SET behind = :behind, backlog = if_not_exists(backlog, :zero), settled = if_not_exists(settled, :zero)',
    ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(behind)',
    ExpressionAttributeValues: { ':behind': behindSince(now, cause), ':zero': 0 },
  });
  if (marked) return { backlog: marked.backlog, isNew: true };
  const state = await getEdgeState(id);
  if (!state) return undefined;
  // It has caught up since the condition failed, and what it misses now needs a mark of its own.
  return state.behind ? { backlog: state.backlog, isNew: false } : markBehind(id, cause, now);
}

/** @returns where the edge stands, for the one who is now to catch it up; undefined for everybody else */
export function claimAttempt(id: string, messageId: string, now: Date): Promise<EdgeState | undefined> {
  return change(id, {
    UpdateExpression:
      'SET behind.nextAttemptAt = :until, behind.claimedBy = :message, behind.attempts = behind.attempts + :one',
    ConditionExpression:
      'attribute_exists(behind) AND (behind.nextAttemptAt <= :now OR behind.claimedBy = :message)',
    ExpressionAttributeValues: {
      ':until': laterThan(now, claimSeconds),
      ':message': messageId,
      ':now': now.toISOString(),
      ':one': 1,
    },
  });
}

/** Ends a claim while the edge is still behind. */
export function putOff(
  id: string,
  { kind, reason, attempts, nextAttemptAt }: Omit<Behind, 'since' | 'claimedBy'>,
): Promise<EdgeState | undefined> {
  return change(id, {
    UpdateExpression:
      'SET behind.kind = :kind, behind.reason = :reason, behind.attempts = :attempts, behind.nextAttemptAt = :next REMOVE behind.claimedBy',
    ConditionExpression: 'attribute_exists(behind)',
    ExpressionAttributeValues: {
      ':kind': kind,
      ':reason': reason,
      ':attempts': attempts,
      ':next': nextAttemptAt,
    },
  });
}

/** From here on purges are sent to the edge again, and what it misses goes into the next backlog. */
export function endBehind(id: string, backlog: number): Promise<EdgeState | undefined> {
  return change(id, {
    UpdateExpression: 'SET backlog = :next REMOVE behind',
    ConditionExpression: 'backlog = :backlog',
    ExpressionAttributeValues: { ':backlog': backlog, ':next': backlog + 1 },
  });
}

/** What an edge that stays behind misses from here on goes into the next backlog. */
export function rotate(id: string, backlog: number, now: Date): Promise<EdgeState | undefined> {
  return change(id, {
    UpdateExpression: 'SET backlog = :next, behind.rotatedAt = :now',
    ConditionExpression: 'backlog = :backlog AND attribute_exists(behind)',
    ExpressionAttributeValues: { ':backlog': backlog, ':next': backlog + 1, ':now': now.toISOString() },
  });
}

/** Notes that all backlogs below this one are worked off. */
export function settle(id: string, settled: number): Promise<EdgeState | undefined> {
  return change(id, {
    UpdateExpression: 'SET settled = :settled',
    ConditionExpression: 'settled < :settled',
    ExpressionAttributeValues: { ':settled': settled },
  });
}

/** Forgets an edge that was taken out of service, unless it has come back meanwhile. */
export async function forgetEdge(id: string): Promise<void> {
  await dynamodb()
    .send(new DeleteCommand({ ...where(id), ConditionExpression: 'attribute_exists(removedAt)' }))
    .catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
}

function where(id: string) {
  return { TableName: tableName('edges'), Key: { registry, id } };
}

/** @returns how the edge stands then; undefined where the condition did not hold */
async function change(id: string, update: Change): Promise<EdgeState | undefined> {
  try {
    const { Attributes } = await dynamodb().send(
      new UpdateCommand({ ...where(id), ...update, ReturnValues: 'ALL_NEW' }),
    );
    return stateOf(Attributes as EdgeItem);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

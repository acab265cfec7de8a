import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { totalKey } from '../aws/total.ts';
import type { TransactionItems } from '../aws/transaction.ts';
import { highestPriority, maximumRules } from './rule.ts';
import { allRules } from './rule-table.ts';

/** What one item keeps of all rules of a property, beside them. */
interface RuleOrder {
  readonly total: number;
  /** Rises with every rule that comes, goes or moves. */
  readonly revision: number;
  /** The highest priority; known until a rule goes, moves, or comes with a priority of its own. */
  readonly last?: number;
}

/** A priority behind all rules, and what it was found from. */
export interface LastPlace {
  readonly priority: number;
  readonly total: number;
  readonly revision: number;
}

const priorityStep = 10;
const isNotFull = '(attribute_not_exists(#total) OR #total < :limit)';
/** A total other than that of the rules that were read means that not all of them could be seen yet. */
const isUnchanged = ['revision', 'total']
  .map((name) => `(attribute_not_exists(#${name}) OR #${name} = :${name})`)
  .join(' AND ');

/** @param movedId the rule that is to be put behind all others; none where a rule is made */
export async function findLastPlace(propertyId: string, movedId?: string): Promise<LastPlace> {
  const { total, revision, last } = await readOrder(propertyId);
  if (last !== undefined && movedId === undefined) return { priority: behind(last), total, revision };
  const rules = await allRules(propertyId);
  const highest = rules.findLast(({ id }) => id !== movedId)?.priority ?? 0;
  return { priority: behind(highest), total: rules.length, revision };
}

/**
 * Goes into every transaction by which a rule comes, goes or moves; refused for more rules than there may be.
 * @param place where the rule is put last; refused where the order has changed since, so that no two rules meet there
 */
export function changeOrder(
  propertyId: string,
  difference: 1 | 0 | -1,
  place?: LastPlace,
): TransactionItems[number] {
  const conditions = [...(difference > 0 ? [isNotFull] : []), ...(place ? [isUnchanged] : [])];
  return {
    Update: {
      TableName: tableName('rules'),
      Key: totalKey('rules', propertyId),
      UpdateExpression: `${place ? 'SET #last = :last' : 'REMOVE #last'} ADD #total :difference, #revision :one`,
      ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
      ExpressionAttributeNames: { '#last': 'last', '#total': 'total', '#revision': 'revision' },
      ExpressionAttributeValues: {
        ':difference': difference,
        ':one': 1,
        ...(difference > 0 && { ':limit': maximumRules }),
        ...(place && { ':last': place.priority, ':total': place.total, ':revision': place.revision }),
      },
    },
  };
}

async function readOrder(propertyId: string): Promise<RuleOrder> {
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: tableName('rules'),
      Key: totalKey('rules', propertyId),
      ConsistentRead: true,
    }),
  );
  return { total: 0, revision: 0, ...Item };
}

function behind(priority: number): number {
  return Math.min(priority + priorityStep, highestPriority);
}

import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { type EdgeDriverName, isDriverName } from './backends.ts';
import { registry } from './edge.ts';
import type { EdgeItem } from './edge-table.ts';

export interface EdgeKind {
  readonly id: string;
  readonly driver: EdgeDriverName;
}

/** Edges come and go with people, and a driver refuses what was accepted in this time. */
const rememberedMilliseconds = 10_000;

let remembered: { readonly until: number; readonly kinds: Promise<readonly EdgeKind[]> } | undefined;

const read = async (): Promise<readonly EdgeKind[]> => {
  const { Items = [] } = await dynamodb().send(
    new QueryCommand({
      TableName: tableName('edges'),
      KeyConditionExpression: 'registry = :registry',
      FilterExpression: 'attribute_not_exists(removedAt)',
      ExpressionAttributeValues: { ':registry': registry },
      ProjectionExpression: 'id, driver',
    }),
  );
  return (Items as Pick<EdgeItem, 'id' | 'driver'>[]).flatMap(({ id, driver }) =>
    isDriverName(driver) ? [{ id, driver }] : [],
  );
};

/** What kinds of edges were in service at most ten seconds ago, without those whose driver is no more. */
export const listEdgeKinds = (now = Date.now()): Promise<readonly EdgeKind[]> => {
  if (remembered && now < remembered.until) return remembered.kinds;
  const kinds = read();
  remembered = { until: now + rememberedMilliseconds, kinds };
  kinds.catch(() => {
    remembered = undefined;
  });
  return kinds;
};

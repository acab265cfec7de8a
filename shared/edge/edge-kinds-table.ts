import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { type Edge, registry } from './edge.ts';

export type EdgeKind = Pick<Edge, 'id' | 'driver'>;

/** Edges come and go with people, and a driver refuses what was accepted in this time. */
const rememberedMilliseconds = 10_000;

let remembered: { readonly until: number; readonly kinds: Promise<readonly EdgeKind[]> } | undefined;

/** What kinds of edges are in service, at most ten seconds ago. */
export function listEdgeKinds(now = Date.now()): Promise<readonly EdgeKind[]> {
  if (remembered && now < remembered.until) return remembered.kinds;
  const kinds = read();
  remembered = { until: now + rememberedMilliseconds, kinds };
  kinds.catch(() => {
    remembered = undefined;
  });
  return kinds;
}

async function read(): Promise<readonly EdgeKind[]> {
  const { Items = [] } = await dynamodb().send(
    new QueryCommand({
      TableName: tableName('edges'),
      KeyConditionExpression: 'registry = :registry',
      FilterExpression: 'attribute_not_exists(removedAt)',
      ExpressionAttributeValues: { ':registry': registry },
      ProjectionExpression: 'id, driver',
    }),
  );
  return Items as unknown as EdgeKind[];
}

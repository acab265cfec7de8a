import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import type { AcceptedPurge } from './purge.ts';
import { type StoredProgress, toStored } from './purge-progress-table.ts';
import type { PurgeItem, PurgeKey } from './purge-table.ts';

/** A purge that has started, with what it takes to catch an edge up with it. */
export interface StartedPurge extends PurgeKey, StoredProgress {
  readonly soft: boolean;
  readonly type: AcceptedPurge['type'];
  readonly jobCount: number;
}

/** The property's started purges from the given one on, oldest first, one answer of the database at a time. */
export async function* startedPurges(
  propertyId: string,
  since: string,
): AsyncGenerator<readonly StartedPurge[]> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new QueryCommand({
        TableName: tableName('purges'),
        KeyConditionExpression: 'propertyId = :property AND id >= :since',
        FilterExpression: 'attribute_exists(progress)',
        ExpressionAttributeValues: { ':property': propertyId, ':since': since },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    yield (Items as unknown as PurgeItem[]).map((item) => ({ ...item, ...toStored(item) }));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';

/** A place among the purges that no property's id can have. */
const place = { propertyId: '#queue', id: 'purge' } as const;

/** Notes that no message was waiting, in hand or put off. */
export async function noteQueueEmpty(now: Date): Promise<void> {
  const Item = { ...place, emptyAt: now.toISOString() };
  await dynamodb().send(new PutCommand({ TableName: tableName('purges'), Item }));
}

/** When the queue was last seen without any message; undefined before the first time. */
export async function getQueueEmptyAt(): Promise<string | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('purges'), Key: place, ConsistentRead: true }),
  );
  return typeof Item?.emptyAt === 'string' ? Item.emptyAt : undefined;
}

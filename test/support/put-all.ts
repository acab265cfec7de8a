import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../../shared/aws/dynamodb.ts';
import { inParallel } from '../../shared/ground/parallel.ts';
import type { TableName } from '../../shared/ground/resources.ts';

const mostOfBatch = 25;
/** The local database writes one batch at a time; the other is on its way meanwhile. */
const atOnce = 2;

/** Items as they lie in a table. */
export async function putAll(name: TableName, items: readonly object[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / mostOfBatch) }, (_, index) =>
    items.slice(index * mostOfBatch, (index + 1) * mostOfBatch),
  );
  await inParallel(batches, atOnce, async (batch) => {
    const puts = batch.map((item) => ({ PutRequest: { Item: { ...item } } }));
    await dynamodb().send(new BatchWriteCommand({ RequestItems: { [tableName(name)]: puts } }));
  });
}

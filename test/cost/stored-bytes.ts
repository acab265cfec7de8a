import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { physicalTableName } from '../../infra/definition/physical-names.ts';
import { namesOf } from '../../shared/ground/names.ts';
import { type TableName, tables } from '../../shared/ground/resources.ts';

/** What DynamoDB adds to each item that it bills the storage of. */
const bytesOfItem = 100;

/** What is kept of edges and of the queue does not grow with requests. */
const ofEdges: readonly TableName[] = ['edges', 'edgeIndex', 'hints', 'queueStates'];

/**
 * What the tables of customers hold, as DynamoDB bills it:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export async function storedBytes(endpoint: string, stackName: string): Promise<number> {
  const client = new DynamoDBClient({ endpoint });
  let sum = 0;
  for (const name of namesOf(tables).filter((each) => !ofEdges.includes(each))) {
    const TableName = physicalTableName(stackName, name);
    for await (const { Items = [] } of paginateScan({ client }, { TableName }))
      for (const item of Items) sum += bytesOfItem + attributeBytes(item);
  }
  client.destroy();
  return sum;
}

function attributeBytes(attributes: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.L) return value.L.reduce((sum, each) => sum + 1 + valueBytes(each), 3);
  if (value.M) return 3 + Object.keys(value.M).length + attributeBytes(value.M);
  if (value.SS) return value.SS.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  return 1;
}

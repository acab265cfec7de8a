import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { type Condition, Placeholders } from './expression.ts';
import type { Attribute, Keyed, Table } from './table.ts';
import { physicalName } from './table-input.ts';

/** Every item of a table; for the operator only, since it reads the whole table. */
export async function scanAll<Name extends TableName, Item extends Keyed<Name>>(
  from: Table<Name, Item>,
  where?: Condition<Attribute<Item>>,
): Promise<Item[]> {
  const to = new Placeholders();
  const FilterExpression = where?.write(to);
  const items: Item[] = [];
  let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb().send(
      new ScanCommand({
        TableName: physicalName(from.name),
        ConsistentRead: true,
        ...(FilterExpression && { FilterExpression, ...to.inputs }),
        ExclusiveStartKey,
      }),
    );
    items.push(...(Items as Item[]));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

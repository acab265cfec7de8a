import { fromEnvironment, type TableName, tableVariable } from '../ground/resources.ts';
import { type Change, type Condition, Placeholders, updateExpression } from './expression.ts';

/** A table as far as the database is concerned. */
interface AnyTable {
  readonly name: TableName;
}

export function physicalName(name: TableName): string {
  return fromEnvironment(tableVariable(name));
}

export function putInput({ name }: AnyTable, item: object, condition?: Condition<string>) {
  return {
    TableName: physicalName(name),
    Item: { ...item },
    ...conditionInput(new Placeholders(), condition),
  };
}

export function updateInput<Item extends object>(
  { name }: AnyTable,
  key: object,
  change: Change<Item>,
  condition?: Condition<string>,
) {
  const to = new Placeholders();
  const UpdateExpression = updateExpression(change, to);
  return {
    TableName: physicalName(name),
    Key: { ...key },
    UpdateExpression,
    ...conditionInput(to, condition),
  };
}

export function deleteInput({ name }: AnyTable, key: object, condition?: Condition<string>) {
  return { TableName: physicalName(name), Key: { ...key }, ...conditionInput(new Placeholders(), condition) };
}

export function checkInput({ name }: AnyTable, key: object, condition: Condition<string>) {
  const to = new Placeholders();
  const ConditionExpression = condition.write(to);
  return { TableName: physicalName(name), Key: { ...key }, ConditionExpression, ...to.inputs };
}

function conditionInput(to: Placeholders, condition: Condition<string> | undefined) {
  const ConditionExpression = condition?.write(to);
  return { ...(ConditionExpression && { ConditionExpression }), ...to.inputs };
}

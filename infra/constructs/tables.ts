import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type TableDefinition, type TableName, tables } from '../../shared/ground/resources.ts';
import { physicalTableName } from '../definition/physical-names.ts';
import { pascalCase } from './logical-id.ts';

/**
 * The tables, kept when the stack is deleted, but not when its first deployment is rolled back: their names are fixed, so
 * the next one could not make them again. For the same reason their protection from deletion is not in the template:
 * `operator protect` sets it. As global tables they can be given a replica in another Region later.
 */
export class Tables extends Construct {
  private readonly byName = new Map<TableName, TableV2>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(tables)) this.byName.set(name, this.create(name, tables[name]));
  }

  private create(name: TableName, definition: TableDefinition): TableV2 {
    return new TableV2(this, pascalCase(name), {
      tableName: physicalTableName(Stack.of(this).stackName, name),
      partitionKey: attribute(definition.partitionKey),
      ...(definition.sortKey && { sortKey: attribute(definition.sortKey) }),
      ...(definition.timeToLive && { timeToLiveAttribute: definition.timeToLive }),
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }

  get(name: TableName): TableV2 {
    const table = this.byName.get(name);
    if (!table) throw new Error(`There is no table ${name}`);
    return table;
  }
}

function attribute(name: string) {
  return { name, type: AttributeType.STRING };
}

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type TableDefinition, type TableName, tables } from '../../shared/ground/resources.ts';
import { physicalTableName } from '../definition/physical-names.ts';
import { pascalCase } from './logical-id.ts';

/** The tables, kept when the stack is deleted. */
export class Tables extends Construct {
  private readonly byName = new Map<TableName, Table>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(tables)) this.byName.set(name, this.create(name, tables[name]));
  }

  private create(name: TableName, definition: TableDefinition): Table {
    return new Table(this, pascalCase(name), {
      tableName: physicalTableName(Stack.of(this).stackName, name),
      partitionKey: attribute(definition.partitionKey),
      ...(definition.sortKey && { sortKey: attribute(definition.sortKey) }),
      ...(definition.timeToLive && { timeToLiveAttribute: definition.timeToLive }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  get(name: TableName): Table {
    const table = this.byName.get(name);
    if (!table) throw new Error(`There is no table ${name}`);
    return table;
  }
}

function attribute(name: string) {
  return { name, type: AttributeType.STRING };
}

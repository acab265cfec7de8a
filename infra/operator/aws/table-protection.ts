import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';

/** @returns whether nobody can delete the table now */
export async function protectTable(TableName: string): Promise<boolean> {
  const { TableDescription } = await dynamodb().send(
    new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }),
  );
  return TableDescription?.DeletionProtectionEnabled === true;
}

/** @returns whether nobody can delete the table; @throws Error where there is none */
export async function isTableProtected(TableName: string): Promise<boolean> {
  const { Table } = await dynamodb().send(new DescribeTableCommand({ TableName }));
  return Table?.DeletionProtectionEnabled === true;
}

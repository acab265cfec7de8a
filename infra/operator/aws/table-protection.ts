import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';

/** @returns whether nobody can delete the table now */
export async function protectTable(TableName: string): Promise<boolean> {
  const { TableDescription } = await dynamodb().send(
    new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }),
  );
  return TableDescription?.DeletionProtectionEnabled === true;
}

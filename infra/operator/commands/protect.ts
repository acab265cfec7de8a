import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { namesOf } from '../../../shared/ground/names.ts';
import { type TableName, tables } from '../../../shared/ground/resources.ts';
import { physicalTableName } from '../../definition/physical-names.ts';
import type { Command } from './command.ts';

export const protect: Command = {
  summary: 'Protect the tables from deletion',
  details:
    'Once after the first deployment that is good. Until then they are unprotected, so that a failed one can be rolled back.',
  run: async (_, { stack, progress }) => {
    const rows = [];
    for (const name of namesOf(tables)) {
      progress(`Protecting ${name}`);
      rows.push(await protectTable(stack, name));
    }
    return rows;
  },
};

async function protectTable(stack: string, name: TableName) {
  const TableName = physicalTableName(stack, name);
  const { TableDescription } = await dynamodb().send(
    new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }),
  );
  return { table: TableName, isProtected: TableDescription?.DeletionProtectionEnabled === true };
}

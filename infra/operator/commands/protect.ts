import { namesOf } from '../../../shared/ground/names.ts';
import { tables } from '../../../shared/ground/resources.ts';
import { physicalTableName } from '../../definition/physical-names.ts';
import { protectTable } from '../aws/table-protection.ts';
import type { Command } from './command.ts';

export const protect: Command = {
  summary: 'Protect the tables from deletion',
  details:
    'After the first deployment that is good, and after each release that adds a table. Until then they are unprotected, so that a failed one can be rolled back.',
  run: async (_, { stack, progress }) => {
    const rows = [];
    for (const name of namesOf(tables)) {
      const table = physicalTableName(stack, name);
      progress(`Protecting ${table}`);
      rows.push({ table, isProtected: await protectTable(table) });
    }
    return rows;
  },
};

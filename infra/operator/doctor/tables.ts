import { namesOf } from '../../../shared/ground/names.ts';
import { tables as definitions } from '../../../shared/ground/resources.ts';
import { physicalTableName } from '../../definition/physical-names.ts';
import { isTableProtected } from '../aws/table-protection.ts';
import type { Check } from './check.ts';

const mostNamed = 3;

export const tables: Check = {
  name: 'tables',
  run: async ({ stack, localRun }) => {
    const names = namesOf(definitions).map((name) => physicalTableName(stack, name));
    const areProtected = await Promise.all(names.map(isTableProtected));
    const unprotected = names.filter((_, index) => !areProtected[index]);
    if (localRun)
      return `${names.length} tables are there; here they may be deleted, with the data directory. A stack’s must be protected.`;
    if (unprotected.length === 0) return `${names.length} tables are protected from deletion.`;
    const more = unprotected.length > mostNamed ? ` and ${unprotected.length - mostNamed} more` : '';
    const named = unprotected.slice(0, mostNamed).join(', ');
    throw new Error(`Not protected from deletion: ${named}${more}. operator protect --stack ${stack}.`);
  },
};

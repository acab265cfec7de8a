import { getAccount } from '../../../shared/account/account-table.ts';
import { notFound } from '../../../shared/ground/api-error.ts';
import type { Property } from '../../../shared/property/property.ts';
import { allProperties } from '../../../shared/property/property-table.ts';
import type { Rule } from '../../../shared/rule/rule.ts';
import { allRules } from '../../../shared/rule/rule-table.ts';

type ExportedProperty = Property & {
  readonly accountId: string;
  readonly rules: readonly Rule[];
};

/**
 * Everything that an edge’s owner needs to configure it, of one account or of all.
 * @throws ApiError `notFound` for the account
 */
export async function exportProperties(
  accountId: string | undefined,
  progress: (text: string) => void,
): Promise<readonly ExportedProperty[]> {
  if (accountId !== undefined && !(await getAccount(accountId))) throw notFound('Account');
  const exported: ExportedProperty[] = [];
  const properties = await allProperties(accountId);
  for (const property of properties) {
    exported.push({ ...property, rules: await allRules(property.id) });
    progress(`${exported.length} of ${properties.length} properties read`);
  }
  return exported.sort(byAccountAndAge);
}

function byAccountAndAge(a: ExportedProperty, b: ExportedProperty): number {
  return `${a.accountId} ${a.id}` < `${b.accountId} ${b.id}` ? -1 : 1;
}

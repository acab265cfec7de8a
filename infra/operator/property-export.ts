import { getAccount } from '../../shared/account/account-table.ts';
import { tableName } from '../../shared/aws/dynamodb.ts';
import { queryAll, scanAll } from '../../shared/aws/read.ts';
import { newestFirst } from '../../shared/aws/total.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import { isId } from '../../shared/ground/id.ts';
import { Property } from '../../shared/property/property.ts';
import type { Rule } from '../../shared/rule/rule.ts';
import { allRules } from '../../shared/rule/rule-table.ts';

export type ExportedProperty = Property & {
  readonly accountId: string;
  readonly rules: readonly Rule[];
};

/**
 * Everything that an edge’s owner needs to configure it, of one account or of all; for the operator only, since
 * it reads whole tables.
 * @throws ApiError `notFound` for the account
 */
export async function exportProperties(accountId?: string): Promise<readonly ExportedProperty[]> {
  const found = accountId
    ? await ofAccount(accountId)
    : await scanAll({ TableName: tableName('properties') });
  const exported: ExportedProperty[] = [];
  for (const item of found.filter(({ id }) => isId(String(id)))) {
    const property = Property.parse(item);
    exported.push({
      accountId: String(item.accountId),
      ...property,
      rules: await allRules(property.id),
    });
  }
  return exported.sort(byAccountAndAge);
}

async function ofAccount(accountId: string) {
  if (!(await getAccount(accountId))) throw new ApiError('notFound', 'Account not found.');
  return queryAll(newestFirst('properties', accountId));
}

function byAccountAndAge(a: ExportedProperty, b: ExportedProperty): number {
  return `${a.accountId} ${a.id}` < `${b.accountId} ${b.id}` ? -1 : 1;
}

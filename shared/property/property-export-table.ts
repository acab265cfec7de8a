import { getAccount } from '../account/account-table.ts';
import { tableName } from '../aws/dynamodb.ts';
import { queryAll, scanAll } from '../aws/read.ts';
import { newestFirst } from '../aws/total.ts';
import { ApiError } from '../http/api-error.ts';
import { isId } from '../id.ts';
import type { Rule } from '../rule/rule.ts';
import { allRules } from '../rule/rule-table.ts';
import { Property } from './property.ts';

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

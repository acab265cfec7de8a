import { getAccount } from '../../../shared/account/account-table.ts';
import { type EdgeScope, isEverybody, mostNamed } from '../../../shared/edge/scope.ts';
import { notFound } from '../../../shared/ground/api-error.ts';
import { allProperties } from '../../../shared/property/property-table.ts';
import { type Lists, UsageError } from './command.ts';

/** What help says of the flags that make a scope. */
export const scopeFlags = {
  account: 'takes the purges of this account only, as account list shows it; may be given several times',
  property: 'takes the purges of this property only; may be given several times, also beside --account',
} as const;

export const widenFlag =
  'what it cannot do exactly becomes a hard purge of everything of the property there, instead of being refused';

/**
 * The scope that the flags name.
 * @throws UsageError
 * @throws ApiError `notFound` for an account or a property that does not exist
 */
export async function parseScope({ account = [], property = [] }: Lists): Promise<EdgeScope> {
  if (account.length + property.length > mostNamed)
    throw new UsageError(
      `an edge can name at most ${mostNamed} accounts and properties: name the accounts of the properties`,
    );
  for (const id of account) if (!(await getAccount(id))) throw notFound(`Account ${id}`);
  await requireProperties(property);
  return { accounts: account, properties: property };
}

/** By one look at all properties, whosever they are. */
async function requireProperties(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = new Set((await allProperties()).map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw notFound(`Property ${unknown}`);
}

/** A scope in a few words. */
export function scopeText({ accounts, properties }: EdgeScope): string {
  if (isEverybody({ accounts, properties })) return 'all';
  return [...counted(accounts, 'account', 'accounts'), ...counted(properties, 'property', 'properties')].join(
    ', ',
  );
}

function counted({ length }: readonly string[], one: string, many: string): readonly string[] {
  if (length === 0) return [];
  return [length === 1 ? `1 ${one}` : `${length} ${many}`];
}

import { requireAccount } from '../../../shared/account/account-table.ts';
import { allProperties } from '../../../shared/property/property-table.ts';
import { newestPurges, type PropertyPurge, readLimit } from '../../../shared/purge/newest-purges.ts';
import { PurgeStatus } from '../../../shared/purge/purge-record.ts';
import { type Context, type Flags, UsageError } from './command.ts';

type PurgeRow = Readonly<{ accountId: string }> & PropertyPurge;

/** What people see of a list of purges, in a terminal of 80 columns. */
export const purgeColumns = {
  id: 'PURGE',
  propertyId: 'PROPERTY',
  status: 'STATUS',
  type: 'TYPE',
  createdAt: 'AGE',
} as const;

/**
 * Of one status where it is named.
 * @param limit how many records may be read
 */
export async function listPurges(
  { account, status }: Flags,
  { progress, note }: Pick<Context, 'progress' | 'note'>,
  limit = readLimit,
): Promise<readonly PurgeRow[]> {
  const wanted = PurgeStatus.optional().safeParse(status);
  if (!wanted.success) throw new UsageError(`--status must be one of ${PurgeStatus.options.join(', ')}`);
  const { purges, hasMore, isCompleteFrom } = await readPurges({ account, limit, progress });
  if (hasMore) {
    const read = `there are more purges than the ${limit.toLocaleString('en')} records that were read`;
    note(isCompleteFrom ? `${read}: of before ${isCompleteFrom} some are missing` : read);
  }
  return wanted.data ? purges.filter((purge) => purge.status === wanted.data) : purges;
}

interface Wanted {
  readonly account?: string | undefined;
  /** How many suffice; all that may be read by default. */
  readonly count?: number;
  readonly limit?: number;
  progress(text: string): void;
}

/**
 * The newest purges of all properties there are, or of an account's.
 * @throws ApiError `notFound` for the account
 */
export async function readPurges({ account, count, limit, progress }: Wanted) {
  if (account !== undefined) await requireAccount(account);
  const accounts = new Map((await allProperties(account)).map(({ id, accountId }) => [id, accountId]));
  const read = await newestPurges([...accounts.keys()], { now: new Date(), count, limit }, (records) =>
    progress(`${records} records read`),
  );
  const purges: readonly PurgeRow[] = read.purges.map((purge) => ({
    accountId: accounts.get(purge.propertyId) ?? '',
    ...purge,
  }));
  return { ...read, purges };
}

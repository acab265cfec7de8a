import { absent, compare } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { getItem, putItem } from '../aws/table.ts';
import { newId } from '../ground/id.ts';
import { filterKey, filters } from './registry-table.ts';
import { emptyFilter, mayHold, withTerms } from './term-filter.ts';

/** Before the index has the terms: from then on every purge looks for them. None is ever taken out again. */
export async function noteTerms(terms: readonly string[]): Promise<void> {
  await untilWritten(async () => {
    const { filter = emptyFilter(), version } = (await getItem(filters, filterKey)) ?? {};
    if (terms.every((term) => mayHold(filter, term))) return true;
    const noted = { ...filterKey, filter: withTerms(filter, terms), version: newId() };
    const isStill = version ? compare<'version'>('version', '=', version) : absent<'id'>('id');
    return (await putItem(filters, noted, isStill)) || undefined;
  });
}

import { present } from '../aws/expression.ts';
import { queryPages } from '../aws/query.ts';
import type { Touches } from '../ground/resources.ts';
import type { AcceptedPurge, PurgeKey } from './purge.ts';
import { type StoredProgress, toStored } from './purge-progress-table.ts';
import { purges } from './purge-table.ts';

/** A purge that has started, with what it takes to catch an edge up with it. */
export interface StartedPurge extends PurgeKey, StoredProgress {
  readonly soft: boolean;
  readonly type: AcceptedPurge['type'];
  readonly jobCount: number;
}

export const startedPurgesTouches = { tables: { purges: ['Query'] } } as const satisfies Touches;

/** The property's started purges from the given one on, oldest first, one response of the database at a time. */
export async function* startedPurges(
  propertyId: string,
  since: string,
): AsyncGenerator<readonly StartedPurge[]> {
  const where = present<'progress'>('progress');
  for await (const page of queryPages(purges, { partition: propertyId, from: since, where }))
    yield page.map((item) => ({ ...item, ...toStored(item) }));
}

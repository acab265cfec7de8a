import { present } from '../aws/expression.ts';
import { queryPages } from '../aws/query.ts';
import { getItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import type { PropertyOwner } from '../property/property-owner.ts';
import type { AcceptedPurge, PurgeKey } from './purge.ts';
import type { PackedContent } from './purge-content-table.ts';
import { type StoredProgress, toStored } from './purge-progress-table.ts';
import { shardedKey, shardsOf } from './purge-shards.ts';
import { type PurgeItem, purges } from './purge-table.ts';

/** A purge that has started, with what it takes to bring it to an edge later. */
export interface StartedPurge extends PropertyOwner, PurgeKey, StoredProgress {
  readonly soft: boolean;
  readonly type: AcceptedPurge['type'];
  readonly jobCount: number;
  readonly startedAt: string;
  readonly content?: PackedContent;
}

export const startedPurgesTouches = { tables: { purges: ['Query'] } } as const satisfies Touches;

/** The property's started purges from the given one on, in no order, one response of the database at a time. */
export async function* startedPurges(
  propertyId: string,
  since: string,
): AsyncGenerator<readonly StartedPurge[]> {
  const where = present<'progress'>('progress');
  for (const partition of shardsOf(propertyId))
    for await (const page of queryPages(purges, { partition, from: since, where }))
      yield page.flatMap((item) => toStarted(item) ?? []);
}

export const getStartedPurgeTouches = { tables: { purges: ['GetItem'] } } as const satisfies Touches;

/** @returns undefined for a purge that has not started, or has expired */
export async function getStartedPurge(purge: PurgeKey): Promise<StartedPurge | undefined> {
  const item = await getItem(purges, shardedKey(purge));
  return item && toStarted(item);
}

function toStarted(item: PurgeItem): StartedPurge | undefined {
  const { startedAt } = item;
  return startedAt === undefined ? undefined : { ...item, ...toStored(item), startedAt };
}

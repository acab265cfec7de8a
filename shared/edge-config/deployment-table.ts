import { absent, anyOf, compare } from '../aws/expression.ts';
import { queryAll } from '../aws/query.ts';
import { deleteItem, table, updateItem } from '../aws/table.ts';
import type { EdgeScope } from '../edge/scope.ts';
import { isInScope } from '../edge/scope.ts';
import { inParallel } from '../ground/parallel.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { type ConfigChange, changesOf, changesOfTouches } from '../property/config-change-table.ts';
import type { Applied } from './applied.ts';

/** What an edge runs of a property. */
interface DeploymentItem {
  readonly propertyId: string;
  readonly edgeId: string;
  /** Absent while it has run none. */
  readonly version?: number;
  readonly appliedAt?: string;
  readonly lastError?: string;
  readonly failedAt?: string;
}

const deployments = table<'deployments', DeploymentItem>('deployments');

const writtenAtOnce = 25;

export const noteAppliedTouches = touching(changesOfTouches, {
  tables: { deployments: ['UpdateItem', 'DeleteItem'] },
});

/** Keeps what an edge says that it runs of what is in its scope. */
export async function noteApplied(
  edge: { readonly id: string; readonly scope: EdgeScope },
  applied: readonly Applied[],
  now: Date,
): Promise<void> {
  const changes = await changesOf([...new Set(applied.map(({ propertyId }) => propertyId))]);
  await inParallel(applied, writtenAtOnce, async (each) => {
    const change = changes.get(each.propertyId);
    const { propertyId } = each;
    if (!change || !isInScope(edge.scope, { accountId: change.accountId, propertyId })) return;
    await noteOne(edge.id, each, change, now);
  });
}

export const deploymentsOfTouches = { tables: { deployments: ['Query'] } } as const satisfies Touches;

/** What edges run of a property, by the edge. */
export async function deploymentsOf(propertyId: string): Promise<ReadonlyMap<string, DeploymentItem>> {
  const found = await queryAll(deployments, { partition: propertyId });
  return new Map(found.map((item) => [item.edgeId, item]));
}

/** A report that arrives late takes nothing back. */
async function noteOne(
  edgeId: string,
  { propertyId, version, fault }: Applied,
  { isDeleted }: ConfigChange,
  now: Date,
): Promise<void> {
  const key = { propertyId, edgeId };
  if (isDeleted) {
    await deleteItem(deployments, key);
    return;
  }
  const isNewer = anyOf(absent<'version'>('version'), compare<'version'>('version', '<=', version));
  if (fault === 'unreadable') {
    const lastError = `Version ${version} could not be read; the one before stays.`;
    await updateItem(deployments, key, { set: { lastError, failedAt: now.toISOString() } }, isNewer);
    return;
  }
  const appliedAt = now.toISOString();
  const lastError = `Version ${version} is applied, but not kept on the edge’s disk.`;
  const change = fault
    ? { set: { version, appliedAt, lastError, failedAt: appliedAt } }
    : { set: { version, appliedAt }, remove: ['lastError', 'failedAt'] as const };
  await updateItem(deployments, key, change, isNewer);
}

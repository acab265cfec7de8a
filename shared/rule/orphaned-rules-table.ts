import { deleteItems } from '../aws/batch.ts';
import { counterId, newestFirst } from '../aws/counter.ts';
import { queryAttributes } from '../aws/query.ts';
import { deleteItem, getAttributes, table } from '../aws/table.ts';
import { type Step, updateStep } from '../aws/transaction.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';

/** What the item beside a property's rules says of them once the property is deleted, until the last is gone. */
interface OrphanedRulesItem {
  readonly propertyId: string;
  readonly id: string;
  /** Whose property it was: only that account's retry may go on with the removal. */
  readonly orphanedBy: string;
}

const orphanedRules = table<'rules', OrphanedRulesItem>('rules');

export const orphanRulesStepTouches = { tables: { rules: ['UpdateItem'] } } as const satisfies Touches;

/** Goes into the transaction that deletes a property. */
export function orphanRulesStep(accountId: string, propertyId: string): Step {
  return updateStep(orphanedRules, { propertyId, id: counterId }, { set: { orphanedBy: accountId } });
}

export const areOrphanedTouches = { tables: { rules: ['GetItem'] } } as const satisfies Touches;

/** Whether rules are left of a property that the account has deleted. */
export async function areOrphaned(accountId: string, propertyId: string): Promise<boolean> {
  if (!isId(propertyId)) return false;
  const left = await getAttributes(orphanedRules, { propertyId, id: counterId }, ['orphanedBy']);
  return left?.orphanedBy === accountId;
}

export const deleteOrphanedTouches = {
  tables: { rules: ['Query', 'BatchWriteItem', 'DeleteItem'] },
} as const satisfies Touches;

/**
 * Removes every rule of a property that has been deleted before, so that none is added meanwhile, and at last the
 * note of it. What a first query could not see yet the next one finds.
 */
export async function deleteOrphaned(propertyId: string): Promise<void> {
  for (let keys = await keysOf(propertyId); keys.length > 0; keys = await keysOf(propertyId))
    await deleteItems(orphanedRules, keys);
  await deleteItem(orphanedRules, { propertyId, id: counterId });
}

function keysOf(propertyId: string) {
  return queryAttributes(orphanedRules, newestFirst(propertyId), ['propertyId', 'id']);
}

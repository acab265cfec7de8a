import { counterId } from '../aws/counter.ts';
import { absent, allOf, anyOf, type Condition, compare } from '../aws/expression.ts';
import { getItem, table } from '../aws/table.ts';
import { type Step, updateStep } from '../aws/transaction.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import { type CreateRule, highestPriority, maximumRules, type RuleSettings } from './rule.ts';
import { allRules, allRulesTouches } from './rule-table.ts';

/** What one item keeps of all rules of a property, beside them. */
interface RuleOrderItem {
  readonly propertyId: string;
  readonly id: string;
  readonly total: number;
  /** Rises with every rule that comes, goes or moves. */
  readonly revision: number;
  /** The highest priority; known until a rule goes, moves, or comes with a priority of its own. */
  readonly last?: number;
}

const ruleOrders = table<'rules', RuleOrderItem>('rules');

/** A priority after all rules, and what it was found from. */
interface LastPlace {
  readonly priority: number;
  readonly total: number;
  readonly revision: number;
}

interface PlacedSettings {
  readonly settings: RuleSettings;
  readonly place?: LastPlace;
}

const priorityStep = 10;

export const placedSettingsTouches = touching(allRulesTouches, { tables: { rules: ['GetItem'] } });

/**
 * Without a priority a rule goes after all others.
 * @param movedId the rule that is changed; none where a rule is made
 */
export async function placedSettings(
  propertyId: string,
  { name, enabled, priority, ...rest }: CreateRule,
  movedId?: string,
): Promise<PlacedSettings> {
  if (priority !== undefined) return { settings: { name, enabled, priority, ...rest } };
  const place = await findLastPlace(propertyId, movedId);
  return { settings: { name, enabled, priority: place.priority, ...rest }, place };
}

export const changeOrderStepTouches = { tables: { rules: ['UpdateItem'] } } as const satisfies Touches;

/**
 * Goes into every transaction by which a rule comes, goes or moves; refused for more rules than there may be.
 * @param place where the rule is put last; refused where the order has changed since, so that no two rules meet there
 */
export function changeOrderStep(propertyId: string, difference: 1 | 0 | -1, place?: LastPlace): Step {
  const conditions = [...(difference > 0 ? [isNotFull()] : []), ...(place ? [isUnchanged(place)] : [])];
  return updateStep(
    ruleOrders,
    { propertyId, id: counterId },
    {
      ...(place ? { set: { last: place.priority } } : { remove: ['last'] }),
      add: { total: difference, revision: 1 },
    },
    conditions.length > 0 ? allOf(...conditions) : undefined,
  );
}

/** @param movedId the rule that is to be put after all others; none where a rule is made */
async function findLastPlace(propertyId: string, movedId?: string): Promise<LastPlace> {
  const order = await getItem(ruleOrders, { propertyId, id: counterId });
  const { total, revision, last } = order ?? { total: 0, revision: 0 };
  if (last !== undefined && movedId === undefined) return { priority: after(last), total, revision };
  const rules = await allRules(propertyId);
  const highest = rules.findLast(({ id }) => id !== movedId)?.priority ?? 0;
  return { priority: after(highest), total: rules.length, revision };
}

function after(priority: number): number {
  return Math.min(priority + priorityStep, highestPriority);
}

function isNotFull(): Condition<'total'> {
  return anyOf(absent('total'), compare('total', '<', maximumRules));
}

/** A total other than that of the rules that were read means that not all of them could be seen yet. */
function isUnchanged({ total, revision }: LastPlace): Condition<'total' | 'revision'> {
  return allOf(
    anyOf(absent('revision'), compare('revision', '=', revision)),
    anyOf(absent('total'), compare('total', '=', total)),
  );
}

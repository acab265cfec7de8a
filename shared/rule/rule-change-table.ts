import { isDeepStrictEqual } from 'node:util';
import { absent, compare, present } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { deleteStep, putStep, type Refused, transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { touching } from '../ground/touches.ts';
import type { Operation } from '../http/endpoint.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { propertyNotFound } from '../property/property.ts';
import { propertyExistsStep, propertyExistsStepTouches } from '../property/property-table.ts';
import {
  CreateRule,
  maximumRules,
  type Rule,
  type RuleSettings,
  ruleNotFound,
  settingsText,
} from './rule.ts';
import {
  changeOrderStep,
  changeOrderStepTouches,
  findLastPlace,
  findLastPlaceTouches,
  type LastPlace,
} from './rule-order-table.ts';
import {
  findRule,
  findRuleTouches,
  getRule,
  getRuleTouches,
  type RuleItem,
  rules,
  toRule,
} from './rule-table.ts';

interface PlacedSettings {
  readonly settings: RuleSettings;
  readonly place?: LastPlace;
}

export const createRuleTouches = touching(
  propertyExistsStepTouches,
  findLastPlaceTouches,
  changeOrderStepTouches,
  findRuleTouches,
  { tables: { rules: ['PutItem'] } },
);

/**
 * Makes the rule, or finds it where an earlier try of the same work has made it.
 * @throws ApiError `notFound` for the property, `conflict` where it has 100 rules
 */
export async function createRule(
  accountId: string,
  propertyId: string,
  input: CreateRule,
  { id, startedAt }: Operation,
): Promise<Rule> {
  const exists = propertyExistsStep(accountId, propertyId);
  const createdAt = startedAt.toISOString();
  return untilWritten(async () => {
    const { settings, place } = await settingsOf(propertyId, input);
    const item: RuleItem = {
      propertyId,
      id,
      settings: settingsText(settings),
      version: 1,
      createdAt,
      updatedAt: createdAt,
    };
    const refused = await transact([
      exists,
      putStep(rules, item, absent('id')),
      changeOrderStep(propertyId, 1, place),
    ]);
    if (!refused) return toRule(item);
    requireProperty(refused);
    const made = await findRule(propertyId, id);
    if (made || (place && place.total < maximumRules)) return made;
    throw new ApiError(
      'conflict',
      `The property has ${maximumRules} rules, the most it can. Delete one first.`,
    );
  });
}

export const updateRuleTouches = touching(
  getRuleTouches,
  findLastPlaceTouches,
  propertyExistsStepTouches,
  changeOrderStepTouches,
  { tables: { rules: ['PutItem'] } },
);

/**
 * Applies a merge patch; one that changes nothing writes nothing.
 * @throws ApiError `notFound`; `conflict` for a stale version and for a change at the same time
 */
export function updateRule(
  accountId: string,
  propertyId: string,
  ruleId: string,
  patch: Readonly<Record<string, unknown>>,
  ifMatch: number | undefined,
  now = new Date(),
): Promise<Rule> {
  return untilWritten(async () => {
    const before = await getRule(accountId, propertyId, ruleId);
    requireVersion(before.version, ifMatch);
    const { id, version, createdAt, updatedAt: _, ...stored } = before;
    const input = validate(CreateRule, mergePatch(stored, patch), 'the body');
    const { settings, place } = await settingsOf(propertyId, input, id);
    if (isDeepStrictEqual(settings, stored)) return before;
    const item: RuleItem = {
      propertyId,
      id,
      settings: settingsText(settings),
      version: version + 1,
      createdAt,
      updatedAt: now.toISOString(),
    };
    const refused = await transact([
      propertyExistsStep(accountId, propertyId),
      putStep(rules, item, compare('version', '=', version)),
      ...(settings.priority === stored.priority ? [] : [changeOrderStep(propertyId, 0, place)]),
    ]);
    if (!refused) return toRule(item);
    requireProperty(refused);
    if (refused.failedConditions.includes(1)) throw changedMeanwhile();
    return undefined;
  });
}

export const deleteRuleTouches = touching(getRuleTouches, propertyExistsStepTouches, changeOrderStepTouches, {
  tables: { rules: ['DeleteItem'] },
});

/** @throws ApiError `notFound`, or `conflict` for a stale version */
export async function deleteRule(
  accountId: string,
  propertyId: string,
  id: string,
  ifMatch: number | undefined,
): Promise<void> {
  const { version } = await getRule(accountId, propertyId, id);
  requireVersion(version, ifMatch);
  const condition = ifMatch === undefined ? present('id') : compare('version', '=', version);
  const refused = await transact([
    propertyExistsStep(accountId, propertyId),
    deleteStep(rules, { propertyId, id }, condition),
    changeOrderStep(propertyId, -1),
  ]);
  if (!refused) return;
  requireProperty(refused);
  throw ifMatch === undefined ? new ApiError('notFound', ruleNotFound) : changedMeanwhile();
}

/** Without a priority a rule goes after all others. */
async function settingsOf(
  propertyId: string,
  { name, enabled, priority, ...rest }: CreateRule,
  movedId?: string,
): Promise<PlacedSettings> {
  if (priority !== undefined) return { settings: { name, enabled, priority, ...rest } };
  const place = await findLastPlace(propertyId, movedId);
  return { settings: { name, enabled, priority: place.priority, ...rest }, place };
}

/** @throws ApiError `notFound` where the transaction's first step, that the property exists, was refused */
function requireProperty({ failedConditions }: Refused): void {
  if (failedConditions.includes(0)) throw new ApiError('notFound', propertyNotFound);
}

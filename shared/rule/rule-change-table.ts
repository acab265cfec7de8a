import { isDeepStrictEqual } from 'node:util';
import { compare, present } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { deleteStep, putStep } from '../aws/transaction.ts';
import { notFound } from '../ground/api-error.ts';
import { touching } from '../ground/touches.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { writeChange, writeChangeTouches } from '../property/config-change-table.ts';
import {
  propertyExistsStep,
  propertyExistsStepTouches,
  requireExisting,
} from '../property/property-table.ts';
import { CreateRule, type Rule, settingsText } from './rule.ts';
import {
  changeOrderStep,
  changeOrderStepTouches,
  placedSettings,
  placedSettingsTouches,
} from './rule-order-table.ts';
import { getRule, getRuleTouches, type RuleItem, rules, toRule } from './rule-table.ts';

export const updateRuleTouches = touching(
  getRuleTouches,
  placedSettingsTouches,
  propertyExistsStepTouches,
  changeOrderStepTouches,
  writeChangeTouches,
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
    const { settings, place } = await placedSettings(propertyId, input, id);
    if (isDeepStrictEqual(settings, stored)) return before;
    const item: RuleItem = {
      propertyId,
      id,
      settings: settingsText(settings),
      version: version + 1,
      createdAt,
      updatedAt: now.toISOString(),
    };
    const refused = await writeChange({ accountId, propertyId }, [
      propertyExistsStep(accountId, propertyId),
      putStep(rules, item, compare('version', '=', version)),
      ...(settings.priority === stored.priority ? [] : [changeOrderStep(propertyId, 0, place)]),
    ]);
    if (!refused) return toRule(item);
    requireExisting(refused);
    if (refused.failedConditions.includes(1)) throw changedMeanwhile();
    return undefined;
  });
}

export const deleteRuleTouches = touching(
  getRuleTouches,
  propertyExistsStepTouches,
  changeOrderStepTouches,
  writeChangeTouches,
  { tables: { rules: ['DeleteItem'] } },
);

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
  const refused = await writeChange({ accountId, propertyId }, [
    propertyExistsStep(accountId, propertyId),
    deleteStep(rules, { propertyId, id }, condition),
    changeOrderStep(propertyId, -1),
  ]);
  if (!refused) return;
  requireExisting(refused);
  throw ifMatch === undefined ? notFound('Rule') : changedMeanwhile();
}

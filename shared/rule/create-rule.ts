import { absent } from '../aws/expression.ts';
import { untilWritten } from '../aws/optimistic-retry.ts';
import { putStep } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { touching } from '../ground/touches.ts';
import type { Operation } from '../http/endpoint.ts';
import { writeChange, writeChangeTouches } from '../property/config-change-table.ts';
import {
  propertyExistsStep,
  propertyExistsStepTouches,
  requireExisting,
} from '../property/property-table.ts';
import { type CreateRule, maximumRules, type Rule, settingsText } from './rule.ts';
import {
  changeOrderStep,
  changeOrderStepTouches,
  placedSettings,
  placedSettingsTouches,
} from './rule-order-table.ts';
import { findRule, findRuleTouches, type RuleItem, rules, toRule } from './rule-table.ts';

export const createRuleTouches = touching(
  propertyExistsStepTouches,
  placedSettingsTouches,
  changeOrderStepTouches,
  findRuleTouches,
  writeChangeTouches,
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
    const { settings, place } = await placedSettings(propertyId, input);
    const item: RuleItem = {
      propertyId,
      id,
      settings: settingsText(settings),
      version: 1,
      createdAt,
      updatedAt: createdAt,
    };
    const refused = await writeChange({ accountId, propertyId }, [
      exists,
      putStep(rules, item, absent('id')),
      changeOrderStep(propertyId, 1, place),
    ]);
    if (!refused) return toRule(item);
    requireExisting(refused);
    const made = await findRule(propertyId, id);
    if (made || (place && place.total < maximumRules)) return made;
    throw new ApiError('conflict', messages.rulesFull(maximumRules));
  });
}

import { isDeepStrictEqual } from 'node:util';
import { untilWritten } from '../aws/contention.ts';
import { tableName } from '../aws/dynamodb.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import type { Work } from '../http/endpoint.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { propertyExists, requireProperty } from './property-check.ts';
import {
  CreateRule,
  maximumRules,
  type Rule,
  type RuleSettings,
  ruleNotFound,
  settingsText,
} from './rule.ts';
import { changeOrder, findLastPlace, type LastPlace } from './rule-order-table.ts';
import { findRule, getRule, type RuleItem, toRule } from './rule-table.ts';

interface PlacedSettings {
  readonly settings: RuleSettings;
  readonly place?: LastPlace;
}

/**
 * Makes the rule, or finds it where an earlier try of the same work has made it.
 * @throws ApiError `notFound` for the property, `conflict` where it has 100 rules
 */
export async function createRule(
  accountId: string,
  propertyId: string,
  input: CreateRule,
  { id, begunAt }: Work,
): Promise<Rule> {
  const exists = propertyExists(accountId, propertyId);
  const createdAt = begunAt.toISOString();
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
      { Put: { TableName: tableName('rules'), Item: item, ConditionExpression: 'attribute_not_exists(id)' } },
      changeOrder(propertyId, 1, place),
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
      propertyExists(accountId, propertyId),
      { Put: { TableName: tableName('rules'), Item: item, ...unchanged(version) } },
      ...(settings.priority === stored.priority ? [] : [changeOrder(propertyId, 0, place)]),
    ]);
    if (!refused) return toRule(item);
    requireProperty(refused);
    if (refused.failedConditions.includes(1)) throw changedMeanwhile();
    return undefined;
  });
}

/** @throws ApiError `notFound`, or `conflict` for a stale version */
export async function deleteRule(
  accountId: string,
  propertyId: string,
  id: string,
  ifMatch: number | undefined,
): Promise<void> {
  const { version } = await getRule(accountId, propertyId, id);
  requireVersion(version, ifMatch);
  const condition =
    ifMatch === undefined ? { ConditionExpression: 'attribute_exists(id)' } : unchanged(version);
  const refused = await transact([
    propertyExists(accountId, propertyId),
    { Delete: { TableName: tableName('rules'), Key: { propertyId, id }, ...condition } },
    changeOrder(propertyId, -1),
  ]);
  if (!refused) return;
  requireProperty(refused);
  throw ifMatch === undefined ? new ApiError('notFound', ruleNotFound) : changedMeanwhile();
}

/** Without a priority a rule goes behind all others. */
async function settingsOf(
  propertyId: string,
  { name, enabled, priority, ...rest }: CreateRule,
  movedId?: string,
): Promise<PlacedSettings> {
  if (priority !== undefined) return { settings: { name, enabled, priority, ...rest } };
  const place = await findLastPlace(propertyId, movedId);
  return { settings: { name, enabled, priority: place.priority, ...rest }, place };
}

function unchanged(version: number) {
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  };
}

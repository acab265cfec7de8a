import { tableName } from '../aws/dynamodb.ts';
import { changeTotal } from '../aws/total.ts';
import { transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import type { Work } from '../http/endpoint.ts';
import { changedMeanwhile, requireVersion } from '../http/if-match.ts';
import { mergePatch } from '../http/merge-patch.ts';
import { validate } from '../http/validate.ts';
import { propertyExists, requireProperty } from './property-check.ts';
import {
  CreateRule,
  highestPriority,
  maximumRules,
  type Rule,
  type RuleSettings,
  ruleNotFound,
  settingsText,
} from './rule.ts';
import { allRules, findRule, getRule, type RuleItem, toRule } from './rule-table.ts';

const priorityStep = 10;

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
  const settings = settingsText(await settingsOf(propertyId, id, input));
  const createdAt = begunAt.toISOString();
  const item: RuleItem = { propertyId, id, settings, version: 1, createdAt, updatedAt: createdAt };
  const refused = await transact([
    exists,
    { Put: { TableName: tableName('rules'), Item: item, ConditionExpression: 'attribute_not_exists(id)' } },
    changeTotal('rules', propertyId, 1, maximumRules),
  ]);
  if (!refused) return toRule(item);
  requireProperty(refused);
  const made = await findRule(propertyId, id);
  if (made) return made;
  throw new ApiError(
    'conflict',
    `The property has ${maximumRules} rules, the most it can. Delete one first.`,
  );
}

/** @throws ApiError `notFound`; `conflict` for a stale version and for a change at the same time */
export async function updateRule(
  accountId: string,
  propertyId: string,
  ruleId: string,
  patch: Readonly<Record<string, unknown>>,
  ifMatch: number | undefined,
  now = new Date(),
): Promise<Rule> {
  const before = await getRule(accountId, propertyId, ruleId);
  requireVersion(before.version, ifMatch);
  const { id, version, createdAt, updatedAt: _, ...stored } = before;
  const input = validate(CreateRule, mergePatch(stored, patch), 'the body');
  const settings = settingsText(await settingsOf(propertyId, id, input));
  const updatedAt = now.toISOString();
  const item: RuleItem = { propertyId, id, settings, version: version + 1, createdAt, updatedAt };
  const refused = await transact([
    propertyExists(accountId, propertyId),
    { Put: { TableName: tableName('rules'), Item: item, ...unchanged(version) } },
  ]);
  if (!refused) return toRule(item);
  requireProperty(refused);
  throw changedMeanwhile();
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
    changeTotal('rules', propertyId, -1),
  ]);
  if (!refused) return;
  requireProperty(refused);
  throw ifMatch === undefined ? new ApiError('notFound', ruleNotFound) : changedMeanwhile();
}

async function settingsOf(propertyId: string, id: string, input: CreateRule): Promise<RuleSettings> {
  const { name, enabled, priority = await lastPriority(propertyId, id), ...rest } = input;
  return { name, enabled, priority, ...rest };
}

/** Behind all rules but the given one. */
async function lastPriority(propertyId: string, id: string): Promise<number> {
  const others = (await allRules(propertyId)).filter((rule) => rule.id !== id);
  return Math.min((others.at(-1)?.priority ?? 0) + priorityStep, highestPriority);
}

function unchanged(version: number) {
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version },
  };
}

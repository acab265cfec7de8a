import { BatchWriteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryAll } from '../aws/read.ts';
import { newestFirst } from '../aws/total.ts';
import { ApiError } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { getProperty } from '../property/property-table.ts';
import { type Rule, type RuleSettings, ruleNotFound } from './rule.ts';

export interface RuleItem {
  readonly propertyId: string;
  readonly id: string;
  /** JSON: keeps the fields' order, and stays readable when a later schema would refuse it. */
  readonly settings: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const batchSize = 25;

export function toRule({ id, settings, version, createdAt, updatedAt }: RuleItem): Rule {
  return {
    id,
    ...(JSON.parse(settings) as RuleSettings),
    version,
    createdAt,
    updatedAt,
  };
}

/** Every rule of a property, in the order of evaluation. */
export async function allRules(propertyId: string): Promise<readonly Rule[]> {
  const items = (await queryAll(newestFirst('rules', propertyId))) as unknown as RuleItem[];
  return items.map(toRule).sort(inOrder);
}

/** In the order of evaluation; the total is of the same read as the rules. */
export async function listRules(
  accountId: string,
  propertyId: string,
  { pageNumber, pageSize }: PageQuery,
): Promise<Page<Rule>> {
  const [rules] = await Promise.all([allRules(propertyId), getProperty(accountId, propertyId)]);
  const items = rules.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
  return { items, pageNumber, pageSize, totalRecords: rules.length };
}

export async function findRule(propertyId: string, id: string): Promise<Rule | undefined> {
  if (!isId(id)) return undefined;
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('rules'), Key: { propertyId, id }, ConsistentRead: true }),
  );
  return Item && toRule(Item as RuleItem);
}

/** @throws ApiError `notFound` for the property, the same for another account's as for none, or for the rule */
export async function getRule(accountId: string, propertyId: string, id: string): Promise<Rule> {
  const [rule] = await Promise.all([findRule(propertyId, id), getProperty(accountId, propertyId)]);
  if (!rule) throw new ApiError('notFound', ruleNotFound);
  return rule;
}

/**
 * Removes every rule, and their number, of a property that has been deleted before, so that none is added
 * meanwhile. What a batch leaves unprocessed the next one finds again.
 */
export async function deleteRulesOf(propertyId: string): Promise<void> {
  for (let keys = await anyItems(propertyId); keys.length > 0; keys = await anyItems(propertyId)) {
    const RequestItems = { [tableName('rules')]: keys.map((Key) => ({ DeleteRequest: { Key } })) };
    await dynamodb().send(new BatchWriteCommand({ RequestItems }));
  }
}

function inOrder(a: Rule, b: Rule): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : 1);
}

async function anyItems(propertyId: string): Promise<readonly Record<string, unknown>[]> {
  const { Items = [] } = await dynamodb().send(
    new QueryCommand({
      TableName: tableName('rules'),
      KeyConditionExpression: 'propertyId = :property',
      ExpressionAttributeValues: { ':property': propertyId },
      ProjectionExpression: 'propertyId, id',
      ConsistentRead: true,
      Limit: batchSize,
    }),
  );
  return Items;
}

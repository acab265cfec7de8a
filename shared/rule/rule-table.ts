import { newestFirst } from '../aws/counter.ts';
import { queryAll } from '../aws/query.ts';
import { getItem, table } from '../aws/table.ts';
import { notFound } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { getProperty, getPropertyTouches } from '../property/property-table.ts';
import { inOrder, type Rule, type RuleSettings } from './rule.ts';

export interface RuleItem {
  readonly propertyId: string;
  readonly id: string;
  /** JSON: keeps the fields' order, and stays readable when a later schema would refuse it. */
  readonly settings: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const rules = table<'rules', RuleItem>('rules');

export function toRule({ id, settings: text, version, createdAt, updatedAt }: RuleItem): Rule {
  const settings: RuleSettings = JSON.parse(text);
  return { id, ...settings, version, createdAt, updatedAt };
}

export const allRulesTouches = { tables: { rules: ['Query'] } } as const satisfies Touches;

/** Every rule of a property, in the order of evaluation. */
export async function allRules(propertyId: string): Promise<readonly Rule[]> {
  return (await queryAll(rules, newestFirst(propertyId))).map(toRule).sort(inOrder);
}

export const listRulesTouches = touching(allRulesTouches, getPropertyTouches);

/** In the order of evaluation; the total is of the same read as the rules. */
export async function listRules(
  accountId: string,
  propertyId: string,
  { pageNumber, pageSize }: PageQuery,
): Promise<Page<Rule>> {
  const [all] = await Promise.all([allRules(propertyId), getProperty(accountId, propertyId)]);
  const items = all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
  return { items, pageNumber, pageSize, totalRecords: all.length };
}

export const findRuleTouches = { tables: { rules: ['GetItem'] } } as const satisfies Touches;

export async function findRule(propertyId: string, id: string): Promise<Rule | undefined> {
  const item = isId(id) ? await getItem(rules, { propertyId, id }) : undefined;
  return item && toRule(item);
}

export const getRuleTouches = touching(findRuleTouches, getPropertyTouches);

/** @throws ApiError `notFound` for the property, the same for another account's as for none, or for the rule */
export async function getRule(accountId: string, propertyId: string, id: string): Promise<Rule> {
  const [rule] = await Promise.all([findRule(propertyId, id), getProperty(accountId, propertyId)]);
  if (!rule) throw notFound('Rule');
  return rule;
}

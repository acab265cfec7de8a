import { getItems } from '../aws/batch.ts';
import { countStep, newestFirst, readCount } from '../aws/counter.ts';
import { absent, present } from '../aws/expression.ts';
import { queryAll } from '../aws/query.ts';
import { queryPage } from '../aws/query-page.ts';
import { scanAll } from '../aws/scan.ts';
import { getItem, table } from '../aws/table.ts';
import { checkStep, putStep, type Refused, type Step } from '../aws/transaction.ts';
import { notFound } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import type { Touches } from '../ground/resources.ts';
import { touching } from '../ground/touches.ts';
import type { Operation } from '../http/endpoint.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { writeChange, writeChangeTouches } from './config-change-table.ts';
import { claimStep, claimStepTouches, takenHostnames } from './hostname-table.ts';
import { Property, type StoredProperty } from './property.ts';
import type { CreateProperty } from './property-input.ts';
import type { PropertyOwner } from './property-owner.ts';

/** When each host name was claimed, in milliseconds of Unix time. */
type Claims = Readonly<Record<string, number>>;

interface PropertyItem extends StoredProperty {
  readonly accountId: string;
  /** Absent where an older version stored it: then all were claimed when it was made. */
  readonly claimedAt?: Claims;
}

interface OwnedProperty extends Property {
  readonly accountId: string;
}

export const properties = table<'properties', PropertyItem>('properties');

export const createPropertyTouches = touching(claimStepTouches, writeChangeTouches, {
  tables: { properties: ['GetItem', 'PutItem', 'UpdateItem'] },
});

/**
 * Makes the property, or finds it where an earlier try of the same work has made it.
 * @throws ApiError `conflict` naming the host names that another property has
 */
export async function createProperty(
  accountId: string,
  input: CreateProperty,
  { id, startedAt }: Operation,
): Promise<Property> {
  const timestamp = startedAt.toISOString();
  const property: Property = { id, ...input, createdAt: timestamp, updatedAt: timestamp, version: 1 };
  const owner = { accountId, propertyId: id };
  const claimedAt = claimsOf(input.hostnames, Date.now());
  const refused = await writeChange(owner, [
    ...input.hostnames.map((hostname) => claimStep({ hostname, ...owner })),
    putStep(properties, { accountId, ...storedProperty(property), claimedAt }, absent('id')),
    countStep(properties, accountId, 1),
  ]);
  if (!refused) return toProperty(property);
  const made = await findProperty(accountId, id);
  if (made) return made;
  throw takenHostnames(refused, input.hostnames) ?? new Error('a new property was refused for no host name');
}

export const getPropertyTouches = { tables: { properties: ['GetItem'] } } as const satisfies Touches;

/** @throws ApiError `notFound`, the same for a property of another account as for none */
export async function getProperty(accountId: string, id: string): Promise<Property> {
  const property = isId(id) ? await findProperty(accountId, id) : undefined;
  if (!property) throw notFound('Property');
  return property;
}

export const listPropertiesTouches = {
  tables: { properties: ['GetItem', 'Query'] },
} as const satisfies Touches;

/** Newest first, with the exact total. */
export async function listProperties(accountId: string, page: PageQuery): Promise<Page<Property>> {
  const [items, totalRecords] = await Promise.all([
    queryPage(properties, newestFirst(accountId), page),
    readCount(properties, accountId),
  ]);
  return { items: items.map(toProperty), ...page, totalRecords };
}

/** Every property of one account, or of all; for the operator only, since it may read the whole table. */
export async function allProperties(accountId?: string): Promise<readonly OwnedProperty[]> {
  const items =
    accountId !== undefined
      ? await queryAll(properties, newestFirst(accountId))
      : await scanAll(properties, present('name'));
  return items.map((item) => ({ accountId: item.accountId, ...toProperty(item) }));
}

export const propertyExistsStepTouches = {
  tables: { properties: ['ConditionCheckItem'] },
} as const satisfies Touches;

/**
 * Goes first into a transaction, so that nothing is written to a property that is being deleted.
 * @throws ApiError `notFound` for what is no id
 */
export function propertyExistsStep(accountId: string, id: string): Step {
  if (!isId(id)) throw notFound('Property');
  return checkStep(properties, { accountId, id }, present('id'));
}

/** @throws ApiError `notFound` where it was the step above that refused the transaction */
export function requireExisting({ failedConditions }: Refused): void {
  if (failedConditions.includes(0)) throw notFound('Property');
}

/** Without a browser's TTL of null, which a version that is still running, or is rolled back to, cannot read. */
export function storedProperty({ cache, ...property }: Property): StoredProperty {
  return { ...property, cache: { ...cache, browserTtlSeconds: cache.browserTtlSeconds ?? undefined } };
}

/** A property and what only the table knows of it. */
interface ClaimedProperty {
  readonly property: Property;
  readonly claimedAt: Claims;
}

/** @throws ApiError `notFound` */
export async function getClaimed(accountId: string, id: string): Promise<ClaimedProperty> {
  const item = isId(id) ? await getItem(properties, { accountId, id }) : undefined;
  if (!item) throw notFound('Property');
  return toClaimed(item);
}

export const getClaimedOfTouches = { tables: { properties: ['BatchGetItem'] } } as const satisfies Touches;

/** Properties by their ids; those that do not exist are left out. */
export async function getClaimedOf(
  owners: readonly PropertyOwner[],
): Promise<ReadonlyMap<string, ClaimedProperty>> {
  const keys = owners.map(({ accountId, propertyId }) => ({ accountId, id: propertyId }));
  return new Map((await getItems(properties, keys)).map((item) => [item.id, toClaimed(item)]));
}

/** The claims of host names that a property keeps, and of others now. */
export function claimsOf(hostnames: readonly string[], now: number, kept: Claims = {}): Claims {
  return Object.fromEntries(hostnames.map((hostname) => [hostname, kept[hostname] ?? now]));
}

function toClaimed(item: PropertyItem): ClaimedProperty {
  const claimedAt = item.claimedAt ?? claimsOf(item.hostnames, Date.parse(item.createdAt));
  return { property: toProperty(item), claimedAt };
}

/** In the fields' own order, without what only the table knows. */
function toProperty(item: StoredProperty): Property {
  return Property.parse(item);
}

export async function findProperty(accountId: string, id: string): Promise<Property | undefined> {
  const item = await getItem(properties, { accountId, id });
  return item && toProperty(item);
}

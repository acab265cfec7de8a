import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryPage } from '../aws/read.ts';
import { changeTotal, newestFirst, readTotal } from '../aws/total.ts';
import { type Refused, type TransactionItems, transact } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import type { Work } from '../http/endpoint.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { type CreateProperty, Property, propertyNotFound } from './property.ts';

interface PropertyItem extends Property {
  readonly accountId: string;
}

export function claim(hostname: string, accountId: string, propertyId: string): TransactionItems[number] {
  return {
    Put: {
      TableName: tableName('hostnames'),
      Item: { hostname, accountId, propertyId },
      ConditionExpression: 'attribute_not_exists(hostname)',
    },
  };
}

/** @param claimed the host names whose claims were the transaction's first items */
export function takenHostnames(
  { failedConditions }: Refused,
  claimed: readonly string[],
): ApiError | undefined {
  const taken = claimed.filter((_, index) => failedConditions.includes(index));
  return taken.length > 0
    ? new ApiError('conflict', `Already in use by a property: ${taken.join(', ')}.`)
    : undefined;
}

/**
 * Makes the property, or finds it where an earlier try of the same work has made it.
 * @throws ApiError `conflict` naming the host names that another property has
 */
export async function createProperty(
  accountId: string,
  input: CreateProperty,
  { id, begunAt }: Work,
): Promise<Property> {
  const timestamp = begunAt.toISOString();
  const item: PropertyItem = {
    accountId,
    id,
    ...input,
    createdAt: timestamp,
    updatedAt: timestamp,
    version: 1,
  };
  const refused = await transact([
    ...item.hostnames.map((hostname) => claim(hostname, accountId, item.id)),
    {
      Put: {
        TableName: tableName('properties'),
        Item: item,
        ConditionExpression: 'attribute_not_exists(id)',
      },
    },
    changeTotal('properties', accountId, 1),
  ]);
  if (!refused) return toProperty(item);
  const made = await findProperty(accountId, id);
  if (made) return made;
  throw takenHostnames(refused, item.hostnames) ?? new Error('a new property was refused for no host name');
}

export async function findProperty(accountId: string, id: string): Promise<Property | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('properties'), Key: { accountId, id }, ConsistentRead: true }),
  );
  return Item && toProperty(Item);
}

/** @throws ApiError `notFound`, the same for a property of another account as for none */
export async function getProperty(accountId: string, id: string): Promise<Property> {
  const property = isId(id) ? await findProperty(accountId, id) : undefined;
  if (!property) throw new ApiError('notFound', propertyNotFound);
  return property;
}

/** Newest first, with the exact total. */
export async function listProperties(accountId: string, page: PageQuery): Promise<Page<Property>> {
  const [items, totalRecords] = await Promise.all([
    queryPage(newestFirst('properties', accountId), page),
    readTotal('properties', accountId),
  ]);
  return { items: items.map(toProperty), ...page, totalRecords };
}

/** In the fields' own order, without what only the table knows. */
function toProperty(item: unknown): Property {
  return Property.parse(item);
}

import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, tableName } from '../aws/dynamodb.ts';
import { queryPage } from '../aws/read.ts';
import { type TransactionItems, transact } from '../aws/transaction.ts';
import { ApiError } from '../http/api-error.ts';
import type { Page, PageQuery } from '../http/page.ts';
import { isId, newId } from '../id.ts';
import { type CreateProperty, Property, propertyNotFound } from './property.ts';

interface PropertyItem extends Property {
  readonly accountId: string;
}

/** Sorts before every id, so that a query for records passes it by. */
const totalId = '#total';
const beforeIds = '/';

/** In the fields' own order, without what only the table knows. */
const toProperty = (item: unknown): Property => Property.parse(item);

const claim = (hostname: string, accountId: string, propertyId: string): TransactionItems[number] => ({
  Put: {
    TableName: tableName('hostnames'),
    Item: { hostname, accountId, propertyId },
    ConditionExpression: 'attribute_not_exists(hostname)',
  },
});

const countOneMore = (accountId: string): TransactionItems[number] => ({
  Update: {
    TableName: tableName('properties'),
    Key: { accountId, id: totalId },
    UpdateExpression: 'ADD #total :one',
    ExpressionAttributeNames: { '#total': 'total' },
    ExpressionAttributeValues: { ':one': 1 },
  },
});

/** @throws ApiError `conflict` naming the host names that another property has */
export const createProperty = async (
  accountId: string,
  input: CreateProperty,
  now = new Date(),
): Promise<Property> => {
  const timestamp = now.toISOString();
  const item: PropertyItem = {
    accountId,
    id: newId(now),
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
    countOneMore(accountId),
  ]);
  if (!refused) return toProperty(item);
  const taken = refused.failedConditions.map((index) => item.hostnames[index]);
  throw new ApiError('conflict', `Already in use by a property: ${taken.join(', ')}.`);
};

/** @throws ApiError `notFound`, the same for a property of another account as for none */
export const getProperty = async (accountId: string, id: string): Promise<Property> => {
  if (!isId(id)) throw new ApiError('notFound', propertyNotFound);
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: tableName('properties'), Key: { accountId, id }, ConsistentRead: true }),
  );
  if (!Item) throw new ApiError('notFound', propertyNotFound);
  return toProperty(Item);
};

const countProperties = async (accountId: string): Promise<number> => {
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: tableName('properties'),
      Key: { accountId, id: totalId },
      ConsistentRead: true,
    }),
  );
  return Number(Item?.total ?? 0);
};

/** Newest first, with the exact total. */
export const listProperties = async (accountId: string, page: PageQuery): Promise<Page<Property>> => {
  const query = {
    TableName: tableName('properties'),
    KeyConditionExpression: 'accountId = :account AND id > :lowest',
    ExpressionAttributeValues: { ':account': accountId, ':lowest': beforeIds },
    ScanIndexForward: false,
  };
  const [items, totalRecords] = await Promise.all([queryPage(query, page), countProperties(accountId)]);
  return { items: items.map(toProperty), ...page, totalRecords };
};

import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '../ground/resources.ts';
import { dynamodb, tableName } from './dynamodb.ts';
import { queryAll } from './read.ts';
import type { TransactionItems } from './transaction.ts';

/**
 * Tables whose records are numbered 1, 2, 3 … within their owner and never deleted: the highest number is the
 * exact total, and every page is a range of numbers, so that a late one costs no more than the first.
 */
export type NumberedTable = 'tickets' | 'ticketMessages';

export interface NumberedRecord {
  readonly id: string;
  readonly number: number;
}

type Item = Record<string, unknown>;

const digits = 12;

const afterPointers = '/';

const names = { '#position': 'position' };

/** Refused when the number is taken, and when the id is: then an earlier try of the same work has made it. */
export function addNumbered(table: NumberedTable, owner: string, record: NumberedRecord): TransactionItems {
  return [
    putIfAbsent(table, { ...record, ...keyOf(table, owner, positionOf(record.number)) }),
    putIfAbsent(table, { ...keyOf(table, owner, pointerOf(record.id)), number: record.number }),
  ];
}

/** Refused when the record is no longer at the given version. */
export function replaceNumbered(
  table: NumberedTable,
  owner: string,
  record: NumberedRecord,
  version: number,
): TransactionItems[number] {
  return {
    Put: {
      TableName: tableName(table),
      Item: { ...record, ...keyOf(table, owner, positionOf(record.number)) },
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': version },
    },
  };
}

export async function findNumbered(
  table: NumberedTable,
  owner: string,
  id: string,
): Promise<Item | undefined> {
  const pointer = await read(table, owner, pointerOf(id));
  return pointer && read(table, owner, positionOf(Number(pointer.number)));
}

/** The records from one number to another, both included, in their order. */
export function numberedRange(
  table: NumberedTable,
  owner: string,
  first: number,
  last: number,
): Promise<Item[]> {
  return queryAll({
    TableName: tableName(table),
    KeyConditionExpression: `${tables[table].partitionKey} = :owner AND #position BETWEEN :first AND :last`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ':owner': owner,
      ':first': positionOf(first),
      ':last': positionOf(last),
    },
  });
}

/** All records of an owner, the highest number first. */
export function highestFirst(table: NumberedTable, owner: string) {
  return {
    TableName: tableName(table),
    KeyConditionExpression: `${tables[table].partitionKey} = :owner AND #position > :pointers`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':owner': owner, ':pointers': afterPointers },
    ScanIndexForward: false,
  };
}

/** The highest number that is taken: how many records there are. */
export async function highestNumber(table: NumberedTable, owner: string): Promise<number> {
  const { Items = [] } = await dynamodb().send(
    new QueryCommand({ ...highestFirst(table, owner), ConsistentRead: true, Limit: 1 }),
  );
  return Number(Items[0]?.number ?? 0);
}

function putIfAbsent(table: NumberedTable, item: Item): TransactionItems[number] {
  return {
    Put: {
      TableName: tableName(table),
      Item: item,
      ConditionExpression: 'attribute_not_exists(#position)',
      ExpressionAttributeNames: names,
    },
  };
}

function keyOf(table: NumberedTable, owner: string, position: string) {
  return {
    [tables[table].partitionKey]: owner,
    position,
  };
}

/** Text whose alphabetical order is the order of the numbers. */
function positionOf(number: number): string {
  return String(number).padStart(digits, '0');
}

/** Leads from an id to its number; sorts before every position. */
function pointerOf(id: string): string {
  return `#${id}`;
}

async function read(table: NumberedTable, owner: string, position: string): Promise<Item | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({
      TableName: tableName(table),
      Key: keyOf(table, owner, position),
      ConsistentRead: true,
    }),
  );
  return Item;
}

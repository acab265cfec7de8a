import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '../ground/resources.ts';
import { dynamodb } from './dynamodb.ts';
import { absent, compare } from './expression.ts';
import { queryAll, queryFirst } from './query.ts';
import type { Keyed, Table } from './table.ts';
import { physicalName, putInput } from './table-input.ts';
import type { Step } from './transaction.ts';

/**
 * Tables whose records are numbered 1, 2, 3 … within their owner and never deleted: the highest number is the
 * exact total, and every page is a range of numbers, so that a late one costs no more than the first.
 */
type SequenceName = 'tickets' | 'ticketMessages';

interface SequenceRecord {
  readonly id: string;
  readonly number: number;
}

type SequenceTable<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord> = Table<Name, Item>;

const digits = 12;
const afterPointers = '/';

/** A record without what the table itself knows of it. */
type NewRecord<Name extends SequenceName, Item> = SequenceRecord & Omit<Item, keyof Keyed<Name>>;

/** Refused when the number is taken, and when the id is: then an earlier try of the same operation has made it. */
export function appendSteps<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord>(
  table: SequenceTable<Name, Item>,
  owner: string,
  record: NewRecord<Name, Item>,
): readonly Step[] {
  const item = { ...record, ...keyOf(table, owner, positionOf(record.number)) };
  const pointer = { ...keyOf(table, owner, pointerOf(record.id)), number: record.number };
  const whereAbsent = absent('position');
  return [{ Put: putInput(table, item, whereAbsent) }, { Put: putInput(table, pointer, whereAbsent) }];
}

/** Refused when the record is no longer at the given version. */
export function replaceStep<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord>(
  table: SequenceTable<Name, Item>,
  owner: string,
  record: NewRecord<Name, Item>,
  version: number,
): Step {
  const item = { ...record, ...keyOf(table, owner, positionOf(record.number)) };
  return { Put: putInput(table, item, compare('version', '=', version)) };
}

/** @returns the record of an id; undefined where the owner has none */
export async function findInSequence<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord>(
  table: SequenceTable<Name, Item>,
  owner: string,
  id: string,
): Promise<Item | undefined> {
  const pointer = await read(table, keyOf(table, owner, pointerOf(id)));
  if (!pointer) return undefined;
  return (await read(table, keyOf(table, owner, positionOf(Number(pointer.number))))) as Item | undefined;
}

/** The records from one number to another, both included, in their order. */
export function sequenceRange<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord>(
  table: SequenceTable<Name, Item>,
  owner: string,
  first: number,
  last: number,
): Promise<readonly Item[]> {
  return queryAll(table, { partition: owner, from: positionOf(first), to: positionOf(last) });
}

/** All records of an owner, the highest number first. */
export function highestFirst(owner: string) {
  return { partition: owner, from: afterPointers, isDescending: true } as const;
}

/** The highest number that is taken: how many records there are. */
export async function highestNumber<Name extends SequenceName, Item extends Keyed<Name> & SequenceRecord>(
  table: SequenceTable<Name, Item>,
  owner: string,
): Promise<number> {
  return (await queryFirst(table, highestFirst(owner)))?.number ?? 0;
}

/** Text whose alphabetical order is the order of the numbers. */
function positionOf(number: number): string {
  return String(number).padStart(digits, '0');
}

/** Leads from an id to its number; sorts before every position. */
function pointerOf(id: string): string {
  return `#${id}`;
}

function keyOf(
  { name }: { readonly name: SequenceName },
  owner: string,
  position: string,
): Record<string, string> {
  return { [tables[name].partitionKey]: owner, position };
}

async function read(
  { name }: { readonly name: SequenceName },
  key: Record<string, string>,
): Promise<Record<string, unknown> | undefined> {
  const { Item } = await dynamodb().send(
    new GetCommand({ TableName: physicalName(name), Key: key, ConsistentRead: true }),
  );
  return Item;
}

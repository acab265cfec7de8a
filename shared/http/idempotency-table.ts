import { absent, allOf, anyOf, compare } from '../aws/expression.ts';
import { deleteItem, getItem, putItem, table, updateAndGet, updateItem } from '../aws/table.ts';
import type { Touches } from '../ground/resources.ts';
import type { Operation } from './endpoint.ts';

const keptSeconds = 24 * 3600;
const lockedMilliseconds = 30_000;

/** A response that is given again. */
export interface StoredResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One use of an Idempotency-Key. A retry finishes the first request's operation, so both make the same thing. */
export interface IdempotencyRecord {
  /** Account, and a hash of path, query and key. */
  readonly key: string;
  readonly bodyHash: string;
  readonly operationId: string;
  /** When the operation was first started, ISO 8601. */
  readonly startedAt: string;
  /** Unix milliseconds; from then on a retry may go on with the operation of a process that crashed. */
  readonly lockedUntil: number;
  readonly response?: StoredResponse;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** What every endpoint that takes an Idempotency-Key must be allowed to do. */
export const idempotencyTouches = {
  tables: { idempotency: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] },
} as const satisfies Touches;

const records = table<'idempotency', IdempotencyRecord>('idempotency');

/** @returns undefined when another use of the key was first */
export async function acquire(
  use: Pick<IdempotencyRecord, 'key' | 'bodyHash'>,
  { id, startedAt }: Operation,
): Promise<IdempotencyRecord | undefined> {
  const nowSeconds = Math.floor(startedAt.getTime() / 1000);
  const record: IdempotencyRecord = {
    ...use,
    operationId: id,
    startedAt: startedAt.toISOString(),
    lockedUntil: lockEnd(startedAt),
    expiresAt: nowSeconds + keptSeconds,
  };
  const isFirst = await putItem(
    records,
    record,
    anyOf(absent('key'), compare('expiresAt', '<=', nowSeconds)),
  );
  return isFirst ? record : undefined;
}

export function getRecord(key: string): Promise<IdempotencyRecord | undefined> {
  return getItem(records, { key });
}

/** Locks an abandoned record again. @returns undefined when another retry was first */
export async function reacquire(
  record: IdempotencyRecord,
  now: Date,
): Promise<IdempotencyRecord | undefined> {
  const change = { set: { lockedUntil: lockEnd(now) } };
  const updated = await updateAndGet(records, { key: record.key }, change, isHeld(record));
  return updated.isUpdated ? updated.item : undefined;
}

export async function storeResponse({ key }: IdempotencyRecord, response: StoredResponse): Promise<void> {
  await updateItem(records, { key }, { set: { response } });
}

/** Lets the key be used again, for anything; nothing changes where a retry has reacquired it. */
export async function release(record: IdempotencyRecord): Promise<void> {
  await deleteItem(records, { key: record.key }, isHeld(record));
}

/** Lets a retry go on with the operation at once; nothing changes where one has done so already. */
export async function unlock(record: IdempotencyRecord): Promise<void> {
  await updateItem(records, { key: record.key }, { set: { lockedUntil: 0 } }, isHeld(record));
}

function lockEnd(now: Date): number {
  return now.getTime() + lockedMilliseconds;
}

function isHeld({ lockedUntil }: IdempotencyRecord) {
  return allOf(compare('lockedUntil', '=', lockedUntil), absent('response'));
}

import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, statusOf } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import { messages } from '../ground/messages.ts';
import type { Endpoint, Operation } from './endpoint.ts';
import { headerValues } from './headers.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import {
  acquire,
  getRecord,
  type IdempotencyRecord,
  reacquire,
  release,
  type StoredResponse,
  storeResponse,
  unlock,
} from './idempotency-table.ts';
import { type IdempotencyUse, idempotencyUse } from './idempotency-use.ts';

type Run = (operation: Operation) => Promise<APIGatewayProxyResult>;

/** True for a POST that takes an Idempotency-Key; a response that holds a secret must never be stored. */
export function isIdempotent({ method, access, neverStored }: Endpoint): boolean {
  return method === 'POST' && access !== 'public' && !neverStored;
}

/** Runs the request's operation, or gives the first response again where its Idempotency-Key was used before. */
export async function idempotently(
  endpoint: Endpoint,
  event: APIGatewayProxyEvent,
  accountId: string | undefined,
  run: Run,
): Promise<APIGatewayProxyResult> {
  const startedAt = new Date();
  const operation = { id: newId(startedAt), startedAt };
  const key = keyOf(endpoint, event);
  if (key === undefined || accountId === undefined) return run(operation);
  const record = await acquireOrFind(idempotencyUse(endpoint, event, accountId, key), operation);
  return record.response ? replay(record.response, event) : runOnce(record, run);
}

/** @throws ApiError `invalid` */
function keyOf(endpoint: Endpoint, event: APIGatewayProxyEvent): string | undefined {
  if (isIdempotent(endpoint)) return readIdempotencyKey(event.multiValueHeaders);
  const isRefused = endpoint.method === 'POST' && !endpoint.rawBody;
  if (isRefused && headerValues(event.multiValueHeaders, 'idempotency-key').length > 0) {
    throw new ApiError('invalid', messages.keyNotTaken);
  }
  return undefined;
}

/** @throws ApiError `conflict` for a key that was used with another body or is in use */
async function acquireOrFind(use: IdempotencyUse, operation: Operation): Promise<IdempotencyRecord> {
  const acquired = await acquire(use, operation);
  if (acquired) return acquired;
  const first = await getRecord(use.key);
  if (!first) throw inUse();
  // The response to the SDK's first try was lost, and its second one met the record of the first.
  if (first.operationId === operation.id) return first;
  if (first.bodyHash !== use.bodyHash) throw new ApiError('conflict', messages.keyReused);
  if (first.response) return first;
  const now = operation.startedAt;
  const reacquired = first.lockedUntil <= now.getTime() ? await reacquire(first, now) : undefined;
  if (!reacquired) throw inUse();
  return reacquired;
}

function inUse(): ApiError {
  return new ApiError('conflict', messages.keyInUse, { 'Retry-After': '5' });
}

function replay(
  { statusCode, headers, body }: StoredResponse,
  { requestContext }: APIGatewayProxyEvent,
): APIGatewayProxyResult {
  const replayed = { ...headers, 'X-Request-Id': requestContext.requestId, 'Idempotent-Replay': 'true' };
  return { statusCode, headers: replayed, body, isBase64Encoded: false };
}

async function runOnce(record: IdempotencyRecord, run: Run): Promise<APIGatewayProxyResult> {
  try {
    const result = await run({ id: record.operationId, startedAt: new Date(record.startedAt) });
    await storeResponse(record, toStored(result));
    return result;
  } catch (error) {
    await (leavesNothing(error) ? release(record) : unlock(record));
    throw error;
  }
}

/** The request's id is each request's own. */
function toStored({ statusCode, headers = {}, body }: APIGatewayProxyResult): StoredResponse {
  const kept = Object.entries(headers).filter(([name]) => name !== 'X-Request-Id');
  return {
    statusCode,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body,
  };
}

/** A failure that the client must fix leaves nothing behind; after any other a retry goes on with the operation. */
function leavesNothing(error: unknown): boolean {
  return error instanceof ApiError && statusOf[error.code] < 500;
}

import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, statusOf } from '../ground/api-error.ts';
import { newId } from '../ground/id.ts';
import type { Endpoint, Work } from './endpoint.ts';
import { headerValues } from './headers.ts';
import {
  abandonKey,
  type Claim,
  claimKey,
  keepAnswer,
  readClaim,
  releaseKey,
  takeOver,
} from './idempotency-table.ts';
import { type IdempotencyUse, idempotencyUse } from './idempotency-use.ts';

const keyPattern = /^[\x20-\x7e]{1,255}$/;

type Run = (work: Work) => Promise<APIGatewayProxyResult>;

/** True for a POST that takes an Idempotency-Key; an answer that holds a secret must never be kept. */
export function isIdempotent({ method, access, secret }: Endpoint): boolean {
  return method === 'POST' && access !== 'public' && !secret;
}

/** Runs the request's work, or gives the first answer again where its Idempotency-Key was used before. */
export async function idempotently(
  endpoint: Endpoint,
  event: APIGatewayProxyEvent,
  accountId: string | undefined,
  run: Run,
): Promise<APIGatewayProxyResult> {
  const now = new Date();
  const key = readKey(endpoint, event);
  if (key === undefined || accountId === undefined) return run({ id: newId(now), begunAt: now });
  const claim = await claimOrFind(idempotencyUse(endpoint, event, accountId, key), now);
  if (!claim.answer) return runOnce(claim, run);
  const { statusCode, headers, body } = claim.answer;
  const replayed = {
    ...headers,
    'X-Request-Id': event.requestContext.requestId,
    'Idempotent-Replay': 'true',
  };
  return { statusCode, headers: replayed, body, isBase64Encoded: false };
}

/** @throws ApiError `invalid` */
function readKey(endpoint: Endpoint, event: APIGatewayProxyEvent): string | undefined {
  if (endpoint.rawBody) return undefined;
  const keys = headerValues(event.multiValueHeaders, 'idempotency-key');
  const [key] = keys;
  if (key === undefined) return undefined;
  if (endpoint.method === 'POST' && !isIdempotent(endpoint)) {
    throw new ApiError(
      'invalid',
      'This endpoint takes no Idempotency-Key, because its answers are never stored.',
    );
  }
  if (!isIdempotent(endpoint)) return undefined;
  if (keys.length === 1 && keyPattern.test(key)) return key;
  throw new ApiError('invalid', 'Idempotency-Key must be 1 to 255 printable characters, sent once.');
}

/** @throws ApiError `conflict` for a key that was used with another body or is in use */
async function claimOrFind(use: IdempotencyUse, now: Date): Promise<Claim> {
  const claimed = await claimKey({ ...use, workId: newId(now) }, now);
  if (claimed) return claimed;
  const first = await readClaim(use.key);
  if (!first) throw busy();
  if (first.bodyHash !== use.bodyHash) {
    throw new ApiError('conflict', 'This Idempotency-Key was used with another body. Choose a new key.');
  }
  if (first.answer) return first;
  const taken = first.claimedUntil <= now.getTime() ? await takeOver(first, now) : undefined;
  if (!taken) throw busy();
  return taken;
}

function busy(): ApiError {
  return new ApiError(
    'conflict',
    'A request with this Idempotency-Key is still running. Retry it in a few seconds.',
    {
      'Retry-After': '5',
    },
  );
}

async function runOnce(claim: Claim, run: Run): Promise<APIGatewayProxyResult> {
  try {
    const result = await run({ id: claim.workId, begunAt: new Date(claim.begunAt) });
    const { statusCode, body } = result;
    const { 'X-Request-Id': _, ...headers } = (result.headers ?? {}) as Record<string, string>;
    await keepAnswer(claim, { statusCode, headers, body });
    return result;
  } catch (error) {
    await (leavesNothing(error) ? releaseKey(claim) : abandonKey(claim));
    throw error;
  }
}

/** A failure that the client must mend leaves nothing behind; after any other a retry goes on with the work. */
function leavesNothing(error: unknown): boolean {
  return error instanceof ApiError && statusOf[error.code] < 500;
}

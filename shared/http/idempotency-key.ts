import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { headerValues, type MultiValueHeaders } from './headers.ts';

export const idempotencyKeyPattern = /^[\x20-\x7e]{1,255}$/;

/** @returns undefined where none was sent @throws ApiError `invalid` */
export function readIdempotencyKey(headers: MultiValueHeaders | null): string | undefined {
  const keys = headerValues(headers, 'idempotency-key');
  const [key] = keys;
  if (key === undefined || (keys.length === 1 && idempotencyKeyPattern.test(key))) return key;
  throw new ApiError('invalid', messages.keyMalformed);
}

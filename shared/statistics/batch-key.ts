import { ApiError } from '../ground/api-error.ts';
import type { RawRequest } from '../http/endpoint.ts';
import { headerValues } from '../http/headers.ts';

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** The name that an edge gave to its batch. @throws ApiError `invalid` */
export function batchKeyOf({ headers }: RawRequest): string | undefined {
  const keys = headerValues(headers, 'idempotency-key');
  const [key] = keys;
  if (key === undefined || (keys.length === 1 && keyPattern.test(key))) return key;
  throw new ApiError('invalid', 'Idempotency-Key must be 1 to 255 printable characters, sent once.');
}

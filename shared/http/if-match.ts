import { ApiError } from '../ground/api-error.ts';
import { messages } from '../ground/messages.ts';
import { headerValues, type MultiValueHeaders } from './headers.ts';

/** A version, or the ETag that carries it: quotes on both sides or on none. */
export const ifMatchPattern = /^((0|[1-9]\d*)|"(0|[1-9]\d*)")$/;

/**
 * The version that a client last saw of what it changes: `If-Match: 3` or `"3"`.
 * @returns undefined where it sent none
 * @throws ApiError `invalid`
 */
export function readIfMatch(headers: MultiValueHeaders | null): number | undefined {
  const values = headerValues(headers, 'if-match');
  const [value] = values;
  if (value === undefined) return undefined;
  const tag = value.trim();
  if (values.length > 1 || !ifMatchPattern.test(tag)) {
    throw new ApiError('invalid', messages.ifMatchMalformed);
  }
  return Number(tag.replaceAll('"', ''));
}

/** @throws ApiError `conflict` when the record has moved on since the client read it */
export function requireVersion(current: number, ifMatch: number | undefined): void {
  if (ifMatch === undefined || ifMatch === current) return;
  throw new ApiError('conflict', messages.versionConflict(current));
}

/** For a write whose condition found another version than was read a moment before. */
export function changedMeanwhile(): ApiError {
  return new ApiError('conflict', messages.changedMeanwhile);
}

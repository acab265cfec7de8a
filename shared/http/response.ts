import type { APIGatewayProxyResult } from 'aws-lambda';
import { isUnavailable } from '../aws/unavailable.ts';
import { ApiError, statusOf, unavailable } from '../ground/api-error.ts';
import { log } from '../ground/log.ts';
import { messages } from '../ground/messages.ts';
import { type Envelope, failure } from './envelope.ts';

/** One response of the API: the envelope, and the request id that log lines carry too. */
export function response(
  statusCode: number,
  envelope: Envelope,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...headers,
    },
    body: JSON.stringify(envelope),
    isBase64Encoded: false,
  };
}

/** Turns whatever was thrown into a response; only what the client cannot fix is logged. */
export function errorResponse(error: unknown, requestId: string): APIGatewayProxyResult {
  const { code, message, headers } = toApiError(error);
  if (statusOf[code] >= 500) log('error', 'request failed', { requestId, error });
  return response(statusOf[code], failure(message), requestId, headers);
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return isUnavailable(error) ? unavailable(error) : new ApiError('internal', messages.internal);
}

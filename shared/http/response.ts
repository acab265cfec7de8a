import type { APIGatewayProxyResult } from 'aws-lambda';
import { isUnavailable } from '../aws/unavailable.ts';
import { ApiError, statusOf, unavailable } from '../ground/api-error.ts';
import { type Envelope, failure } from './envelope.ts';

const internal = new ApiError(
  'internal',
  'Something went wrong on our side. Quote the X-Request-Id to support.',
);

/** One answer of the API: the envelope, and the request id that log lines carry too. */
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

/** Turns whatever was thrown into an answer; only what the client cannot mend is logged. */
export function errorResponse(error: unknown, requestId: string): APIGatewayProxyResult {
  const { code, message, headers } = toApiError(error);
  if (statusOf[code] >= 500) log(requestId, error);
  return response(statusOf[code], failure(message), requestId, headers);
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return isUnavailable(error) ? unavailable(error) : internal;
}

function log(requestId: string, error: unknown): void {
  const cause = error instanceof ApiError ? error.cause : error;
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause));
  console.error(JSON.stringify({ level: 'error', requestId, name, message, stack }));
}

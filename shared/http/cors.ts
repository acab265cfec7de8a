import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { headerValues } from './headers.ts';

/** Comma-separated origins whose pages may call the API; set only where the deployment lists any. */
export const corsOriginsVariable = 'CORS_ORIGINS';

const allowedHeaders = 'X-API-Key, Authorization, Content-Type, Idempotency-Key, If-Match';
export const exposedHeaders = 'X-Request-Id, Idempotent-Replay, Retry-After, ETag';
const preflightSeconds = 600;

const listedOrigins = (): readonly string[] => process.env[corsOriginsVariable]?.split(',') ?? [];

const listed = (event: APIGatewayProxyEvent): string | undefined => {
  const [origin] = headerValues(event.multiValueHeaders, 'origin');
  return origin !== undefined && listedOrigins().includes(origin) ? origin : undefined;
};

const corsHeaders = (event: APIGatewayProxyEvent): Record<string, string> => {
  if (listedOrigins().length === 0) return {};
  const origin = listed(event);
  if (origin === undefined) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders,
  };
};

/** What an answer to OPTIONS adds for a listed origin. */
export const preflightHeaders = (event: APIGatewayProxyEvent, allow: string): Record<string, string> =>
  listed(event) === undefined
    ? {}
    : {
        'Access-Control-Allow-Methods': allow,
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': String(preflightSeconds),
      };

/** Lets pages of listed origins read the answer. */
export const withCors = (
  event: APIGatewayProxyEvent,
  result: APIGatewayProxyResult,
): APIGatewayProxyResult => ({
  ...result,
  headers: { ...result.headers, ...corsHeaders(event) },
});

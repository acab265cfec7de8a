import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { headerValues } from './headers.ts';

/** Comma-separated origins whose pages may call the API; set only where the deployment lists any. */
export const corsOriginsVariable = 'CORS_ORIGINS';

const allowedHeaders = 'X-API-Key, Authorization, Content-Type, Idempotency-Key, If-Match';
export const exposedHeaders = 'X-Request-Id, Idempotent-Replay, Retry-After, ETag';
const preflightSeconds = 600;

/** What the response to OPTIONS adds for a listed origin. */
export function preflightHeaders(event: APIGatewayProxyEvent, allow: string): Record<string, string> {
  return listed(event) === undefined
    ? {}
    : {
        'Access-Control-Allow-Methods': allow,
        'Access-Control-Allow-Headers': allowedHeaders,
        'Access-Control-Max-Age': String(preflightSeconds),
      };
}

/** Lets pages of listed origins read the response. */
export function withCors(event: APIGatewayProxyEvent, result: APIGatewayProxyResult): APIGatewayProxyResult {
  return {
    ...result,
    headers: { ...result.headers, ...corsHeaders(event) },
  };
}

function listed(event: APIGatewayProxyEvent): string | undefined {
  const [origin] = headerValues(event.multiValueHeaders, 'origin');
  return origin !== undefined && listedOrigins().includes(origin) ? origin : undefined;
}

function listedOrigins(): readonly string[] {
  return process.env[corsOriginsVariable]?.split(',') ?? [];
}

function corsHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  if (listedOrigins().length === 0) return {};
  const origin = listed(event);
  if (origin === undefined) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders,
  };
}

import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { authenticationMessages, messages } from '../../shared/ground/messages.ts';
import { exposedHeaders } from '../../shared/http/cors.ts';
import { failure } from '../../shared/http/envelope.ts';
import { pascalCase } from './logical-id.ts';

interface GatewayResponse {
  /** Plain text without quotes, or a context variable: the template is plain substitution. */
  readonly message: string;
  /** The gateway's own status where none is given. */
  readonly statusCode?: number;
  readonly retryAfterSeconds?: number;
}

const notFound: GatewayResponse = { message: messages.endpointNotFound, statusCode: 404 };
const internal: GatewayResponse = {
  message: messages.internal,
};
const busy: GatewayResponse = {
  message: messages.unavailable,
  statusCode: 503,
  retryAfterSeconds: 5,
};
const tooMany: GatewayResponse = {
  message: messages.quotaUsedUp,
  retryAfterSeconds: 5,
};
const unauthenticated: GatewayResponse = {
  message: authenticationMessages.missing,
  statusCode: 401,
};
const badRequest: GatewayResponse = {
  message: messages.requestUnreadable,
};

/** Every type of response that API Gateway makes itself; what is not here it would shape in its own way. */
const responses: Readonly<Record<string, GatewayResponse>> = {
  ACCESS_DENIED: { message: '$context.authorizer.message', statusCode: 401 },
  API_CONFIGURATION_ERROR: internal,
  AUTHORIZER_CONFIGURATION_ERROR: internal,
  AUTHORIZER_FAILURE: busy,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: internal,
  EXPIRED_TOKEN: unauthenticated,
  INTEGRATION_FAILURE: busy,
  INTEGRATION_TIMEOUT: busy,
  INVALID_API_KEY: unauthenticated,
  INVALID_SIGNATURE: notFound,
  MISSING_AUTHENTICATION_TOKEN: notFound,
  QUOTA_EXCEEDED: tooMany,
  REQUEST_TOO_LARGE: { message: messages.bodyTooLargeForGateway },
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: tooMany,
  UNAUTHORIZED: unauthenticated,
  UNSUPPORTED_MEDIA_TYPE: { message: messages.bodyNotJson },
  WAF_FILTERED: { message: messages.refusedByFirewall },
};

/** So that a page can read a 401; which origin asks is not known to a template. */
const corsHeaders = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': `'${exposedHeaders}'`,
} as const;

/** Keeps the envelope on the responses to requests that never reach a function. */
export function addGatewayResponses(restApi: RestApi, hasCors: boolean): void {
  for (const [type, response] of Object.entries(responses)) {
    restApi.addGatewayResponse(pascalCase(type.toLowerCase().replaceAll('_', '-')), {
      type: ResponseType.of(type),
      ...(response.statusCode && { statusCode: String(response.statusCode) }),
      templates: { 'application/json': JSON.stringify(failure(response.message)) },
      responseHeaders: headersOf(response, hasCors),
    });
  }
}

function headersOf({ retryAfterSeconds }: GatewayResponse, hasCors: boolean): Record<string, string> {
  return {
    'X-Request-Id': 'context.requestId',
    'Cache-Control': "'no-store'",
    ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
    ...(hasCors && corsHeaders),
  };
}

import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { exposedHeaders } from '../../shared/http/cors.ts';
import { failure } from '../../shared/http/envelope.ts';
import { pascalCase } from './logical-id.ts';

interface GatewayAnswer {
  /** Plain text without quotes, or a context variable: the template is plain substitution. */
  readonly message: string;
  /** The gateway's own status where none is given. */
  readonly statusCode?: number;
  readonly retryAfterSeconds?: number;
}

const notFound: GatewayAnswer = { message: 'There is no such endpoint. Check the path.', statusCode: 404 };
const internal: GatewayAnswer = {
  message: 'Something went wrong on our side. Quote the X-Request-Id to support.',
};
const busy: GatewayAnswer = {
  message: 'The service cannot take this request right now. Retry it in a few seconds.',
  statusCode: 503,
  retryAfterSeconds: 5,
};
const tooMany: GatewayAnswer = {
  message: "The gateway's own request quota is used up. Retry in a few seconds.",
  retryAfterSeconds: 5,
};
const unauthenticated: GatewayAnswer = {
  message: 'Authentication is required. Send your API key in the X-API-Key header.',
  statusCode: 401,
};
const badRequest: GatewayAnswer = {
  message: 'The request cannot be read. Check its headers, query and body.',
};

/** Every type of answer that API Gateway makes itself; what is not here it would shape in its own way. */
const answers: Readonly<Record<string, GatewayAnswer>> = {
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
  REQUEST_TOO_LARGE: { message: 'The body is too large. Split it over several requests.' },
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: tooMany,
  UNAUTHORIZED: unauthenticated,
  UNSUPPORTED_MEDIA_TYPE: { message: 'Send the body as Content-Type: application/json.' },
  WAF_FILTERED: { message: "The request was refused by the operator's firewall." },
};

/** So that a page can read a 401; which origin asks is not known to a template. */
const corsHeaders = {
  'Access-Control-Allow-Origin': "'*'",
  'Access-Control-Expose-Headers': `'${exposedHeaders}'`,
} as const;

/** Keeps the envelope on the answers that never reach a function. */
export function addGatewayResponses(restApi: RestApi, hasCors: boolean): void {
  for (const [type, answer] of Object.entries(answers)) {
    restApi.addGatewayResponse(pascalCase(type.toLowerCase().replaceAll('_', '-')), {
      type: ResponseType.of(type),
      ...(answer.statusCode && { statusCode: String(answer.statusCode) }),
      templates: { 'application/json': JSON.stringify(failure(answer.message)) },
      responseHeaders: headersOf(answer, hasCors),
    });
  }
}

function headersOf({ retryAfterSeconds }: GatewayAnswer, hasCors: boolean): Record<string, string> {
  return {
    'X-Request-Id': 'context.requestId',
    'Cache-Control': "'no-store'",
    ...(retryAfterSeconds && { 'Retry-After': `'${retryAfterSeconds}'` }),
    ...(hasCors && corsHeaders),
  };
}
